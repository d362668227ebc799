import { createLazyRoute } from "@tanstack/react-router";
import { Customers } from "./customers.tsx";

export const Route = createLazyRoute("/customers")({
  component: function CustomersPage() {
    return <Customers filters={Route.useSearch()} />;
  },
});
