export type * from "./api/names.ts";
export { VERSION } from "./api/operations.ts";
export type { Answer, CallOptions, Pages, ResponseInfo } from "./calls.ts";
export { createPay, type Pay, type PayOptions } from "./client.ts";
export { type FieldFault, PayError } from "./errors.ts";
export type { Reconcile, ReconcileOptions } from "./reconcile.ts";
export type { Fetch } from "./request.ts";
