import { createLazyRoute } from "@tanstack/react-router";
import { Audit } from "./audit.tsx";

export const Route = createLazyRoute("/audit")({
  component: function AuditPage() {
    return <Audit filters={Route.useSearch()} />;
  },
});
