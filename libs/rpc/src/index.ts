export { connect } from "./client.ts";
export type { CallContext } from "./context.ts";
export type { CallOptions, Client, Handlers } from "./contract.ts";
export {
  asFailure,
  Failure,
  type FailureKind,
  fromItemFailure,
  kindOfHttpStatus,
  type RestError,
  toItemFailure,
  toRestError,
} from "./errors.ts";
export { type Implementation, implement, serve } from "./server.ts";
export { type Tenant, tenantOf } from "./tenant.ts";
export { together } from "./together.ts";
