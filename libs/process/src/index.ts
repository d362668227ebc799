export { startAdminPort } from "./admin-port.ts";
export {
  ConfigError,
  type ProcessConfig,
  processConfig,
  readConfig,
  variable,
} from "./config.ts";
export { hostToBind, joinHostPort, localAddress } from "./hosts.ts";
export { type Identity, readIdentity, withCallerTokens } from "./identity.ts";
export { every, type Job } from "./jobs.ts";
export {
  type Clock,
  createLifecycle,
  createTestRuntime,
  type Lifecycle,
  type Runtime,
  systemClock,
} from "./lifecycle.ts";
export { createLog, describeCause, type Log } from "./log.ts";
export type { Readiness } from "./readiness.ts";
export { disablePretenuring, runService } from "./run.ts";
export { CommandFault, readRunFile } from "./run-file.ts";
export { startTracing } from "./tracing/start.ts";
export {
  type RequestSpan,
  splitTrace,
  startRequest,
  traceAll,
  traceStep,
  withActiveTrace,
  withTrace,
} from "./tracing/trace.ts";
