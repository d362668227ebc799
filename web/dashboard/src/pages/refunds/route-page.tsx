import { createLazyRoute } from "@tanstack/react-router";
import { Refunds } from "./refunds.tsx";

export const Route = createLazyRoute("/refunds")({
  component: function RefundsPage() {
    return <Refunds filters={Route.useSearch()} />;
  },
});
