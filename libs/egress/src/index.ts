export { isInRanges, parseRange, type Range } from "./address.ts";
export {
  type BytesResult,
  createEgress,
  type Egress,
  type EgressOptions,
  type JsonResult,
  type NoResponse,
  type PostRequest,
  type Response,
} from "./client.ts";
export { egressConfig, toEgressOptions } from "./config.ts";
export { type FaultClass, toPublicFault } from "./faults.ts";
export { createPolicy, isPolicy, type Policy, type PolicyOptions, type Verdict } from "./policy.ts";
export { parseProxy } from "./tunnel.ts";
