import { createLazyRoute } from "@tanstack/react-router";
import { DeliveriesPage } from "./deliveries-page.tsx";

export const Route = createLazyRoute("/webhooks")({
  component: function WebhooksPage() {
    return <DeliveriesPage search={Route.useSearch()} />;
  },
});
