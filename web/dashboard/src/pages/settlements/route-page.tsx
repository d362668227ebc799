import { createLazyRoute } from "@tanstack/react-router";
import { Settlements } from "./settlements.tsx";

export const Route = createLazyRoute("/settlements")({
  component: function SettlementsPage() {
    return <Settlements filters={Route.useSearch()} />;
  },
});
