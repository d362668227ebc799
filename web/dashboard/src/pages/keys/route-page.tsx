import { createLazyRoute } from "@tanstack/react-router";
import { KeysPage } from "./keys.tsx";

export const Route = createLazyRoute("/keys")({
  component: function ApiKeysPage() {
    return <KeysPage filters={Route.useSearch()} />;
  },
});
