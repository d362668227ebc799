import type { Route } from "../route.ts";
import { authRoutes } from "./auth.ts";
import { chainRoutes } from "./chains.ts";
import { customerRoutes } from "./customers.ts";
import { documentRoutes } from "./document.ts";
import { keyRoutes } from "./keys.ts";
import { paymentRoutes } from "./payments.ts";
import { projectRoutes } from "./projects.ts";
import { readCustomerRoutes } from "./read-customers.ts";
import { refundRoutes } from "./refunds.ts";
import { transactionRoutes } from "./transactions.ts";

const RESOURCES: readonly Route[] = [
  ...paymentRoutes,
  ...transactionRoutes,
  ...readCustomerRoutes,
  ...customerRoutes,
  ...refundRoutes,
  ...chainRoutes,
  ...projectRoutes,
  ...keyRoutes,
  ...authRoutes,
];

/** Everything the REST interface can do, the busiest first. */
export const ROUTES: readonly Route[] = [...RESOURCES, ...documentRoutes(RESOURCES)];
