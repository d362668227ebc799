import { createLazyRoute } from "@tanstack/react-router";
import { Payments } from "./payments.tsx";

export const Route = createLazyRoute("/payments")({
  component: function PaymentsPage() {
    return <Payments filters={Route.useSearch()} />;
  },
});
