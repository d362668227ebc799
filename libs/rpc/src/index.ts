export { chainOf } from "./chain.ts";
export { connect } from "./client.ts";
export type { CallContext } from "./context.ts";
export type { CallOptions, Client, Handlers } from "./contract.ts";
export { CALLERS, callersOf } from "./identity.ts";
export { type Implementation, implement, serve } from "./server.ts";
export { type Tenant, tenantOf } from "./tenant.ts";
