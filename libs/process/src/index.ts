export { startAdminPort } from "./admin-port.ts";
export { type Clock, systemClock } from "./clock.ts";
export { disablePretenuring } from "./collector.ts";
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
export { createLifecycle, type Lifecycle, type Runtime } from "./lifecycle.ts";
export { createLog, describeCause, type Log } from "./log.ts";
export type { Readiness } from "./readiness.ts";
export { runService } from "./run.ts";
export { CommandFault, readRunFile } from "./run-file.ts";
export { createTestRuntime } from "./test-runtime.ts";
