import type { Route } from "../route.ts";
import { chainRoutes } from "./chains.ts";
import { paymentRoutes } from "./payments.ts";
import { projectRoutes } from "./projects.ts";
import { transactionRoutes } from "./transactions.ts";

/** Everything the REST interface can do, the busiest first. */
export const ROUTES: readonly Route[] = [
  ...paymentRoutes,
  ...transactionRoutes,
  ...chainRoutes,
  ...projectRoutes,
];
