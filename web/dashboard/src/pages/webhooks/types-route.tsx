import { createLazyRoute } from "@tanstack/react-router";
import { TypesPage } from "./types-page.tsx";

export const Route = createLazyRoute("/webhooks/types")({ component: TypesPage });
