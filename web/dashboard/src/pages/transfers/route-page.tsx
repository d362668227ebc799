import { createLazyRoute } from "@tanstack/react-router";
import { Transfers } from "./transfers.tsx";

export const Route = createLazyRoute("/transfers")({
  component: function TransfersPage() {
    return <Transfers filters={Route.useSearch()} />;
  },
});
