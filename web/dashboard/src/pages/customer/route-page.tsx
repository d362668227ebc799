import { createLazyRoute } from "@tanstack/react-router";
import { CustomerPage } from "./customer.tsx";

export const Route = createLazyRoute("/customers/$id")({
  component: function OneCustomerPage() {
    return <CustomerPage id={Route.useParams().id} />;
  },
});
