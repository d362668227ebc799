import { createLazyRoute } from "@tanstack/react-router";
import { EndpointsPage } from "./endpoints-page.tsx";

export const Route = createLazyRoute("/webhooks/endpoints")({ component: EndpointsPage });
