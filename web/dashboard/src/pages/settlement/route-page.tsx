import { createLazyRoute } from "@tanstack/react-router";
import { SettlementPage } from "./settlement.tsx";

export const Route = createLazyRoute("/settlements/$id")({
  component: function OneSettlementPage() {
    return <SettlementPage id={Route.useParams().id} />;
  },
});
