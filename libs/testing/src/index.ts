export { type Authority, type Certificate, createAuthority } from "./certificates.ts";
export { type Received, type Receiver, type Script, startReceiver } from "./receiver.ts";
export { until } from "./until.ts";
