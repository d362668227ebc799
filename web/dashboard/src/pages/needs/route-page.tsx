import { createLazyRoute } from "@tanstack/react-router";
import { Needs } from "./needs.tsx";

export const Route = createLazyRoute("/needs")({
  component: function NeedsPage() {
    return <Needs filters={Route.useSearch()} />;
  },
});
