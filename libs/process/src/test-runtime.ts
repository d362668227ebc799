import type { Clock } from "./clock.ts";
import { createLife, type Life } from "./life.ts";
import { createLog } from "./log.ts";

/** A life without signals, side port or exit, for one part under test. */
export const createTestRuntime = (
  service: string,
  options: { clock?: Clock; serviceTokens?: readonly string[] } = {},
): Life => createLife({ service, log: createLog(service, "silent"), ...options });
