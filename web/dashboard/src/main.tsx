import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { SESSION } from "./api/own.ts";
import { isWorthRetry } from "./api/queries.ts";
import { applyAppearance } from "./appearance.ts";
import { router } from "./router.tsx";

applyAppearance();
const client = new QueryClient({ defaultOptions: { queries: { retry: isWorthRetry } } });
// Beside the router's own start.
void client.prefetchQuery(SESSION);
const home = document.getElementById("dashboard");
if (home === null) throw new Error("the page has no place for the dashboard");
createRoot(home).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
