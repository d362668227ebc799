import { createLazyRoute } from "@tanstack/react-router";
import { EventsPage } from "./events.tsx";

export const Route = createLazyRoute("/events")({
  component: function EventLogPage() {
    return <EventsPage search={Route.useSearch()} />;
  },
});
