export { connect } from "./client.ts";
export type { CallContext } from "./context.ts";
export type { CallOptions, Client, Handlers } from "./contract.ts";
export { CALLERS, getCallers } from "./identity.ts";
export { parseChain, parseTenant, type Tenant } from "./required-fields.ts";
export { type Implementation, implement, serve } from "./server.ts";
