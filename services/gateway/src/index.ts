export { ROUTES, type RouteName } from "./api/table.ts";
export { type GatewayConfig, gatewayConfig } from "./config.ts";
export { createOwnerLink } from "./operator/members.ts";
export type { Route } from "./pipeline/route.ts";
export { type Gateway, startGateway } from "./start.ts";
