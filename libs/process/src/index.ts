export { type Clock, systemClock } from "./clock.ts";
export { ConfigError, type ProcessConfig, processConfig, readConfig, variable } from "./config.ts";
export { every, type Job } from "./jobs.ts";
export { createLife, type Life, type Runtime } from "./life.ts";
export { createLog, type Log } from "./log.ts";
export type { Readiness } from "./readiness.ts";
export { runService } from "./run.ts";
export { startSidePort } from "./side-port.ts";
export { createTestRuntime } from "./test-runtime.ts";
