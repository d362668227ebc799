import { createLazyRoute } from "@tanstack/react-router";
import { RefundPage } from "./refund.tsx";

export const Route = createLazyRoute("/refunds/$id")({
  component: function RefundRoutePage() {
    return <RefundPage id={Route.useParams().id} />;
  },
});
