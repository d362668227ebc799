export { type Clock, systemClock } from "./clock.ts";
export { keepRequestsYoung } from "./collector.ts";
export {
  ConfigError,
  type ProcessConfig,
  processConfig,
  readConfig,
  serviceTokensOf,
  variable,
} from "./config.ts";
export { every, type Job } from "./jobs.ts";
export { createLife, type Life, type Runtime } from "./life.ts";
export { createLog, type Log } from "./log.ts";
export type { Readiness } from "./readiness.ts";
export { runService } from "./run.ts";
export { startSidePort } from "./side-port.ts";
export { createTestRuntime } from "./test-runtime.ts";
