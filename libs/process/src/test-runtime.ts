import type { Clock } from "./clock.ts";
import type { Identity } from "./identity.ts";
import { createLifecycle, type Lifecycle } from "./lifecycle.ts";
import { createLog } from "./log.ts";

/** A lifecycle without signals, admin port or exit, for a part under test. */
export function createTestRuntime(
  service: string,
  options: { clock?: Clock; identity?: Identity; drainDelayMs?: number } = {},
): Lifecycle {
  return createLifecycle({ service, log: createLog(service, "silent"), ...options });
}
