// Disables endpoints that have failed for days, so that a dead receiver uses no slots. Each worker checks the endpoints
// whose deliveries it has seen fail; checking an endpoint twice is harmless.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { disableFailingEndpoint } from "../generated/sql.ts";
import { endpointsDisabled } from "../metrics.ts";

const INTERVAL_MS = 60_000;
/** Between two checks of an endpoint. */
const RECHECK_MS = 600_000;
const ENDPOINTS_MAX = 10_000;

export interface FailingEndpoints {
  /** A delivery to this endpoint has failed for good. */
  add(endpointId: string): void;
}

export function startDisablingFailing(options: {
  pool: Pool;
  runtime: Runtime;
  now: () => number;
}): FailingEndpoints {
  const { pool, runtime, now } = options;
  const { log } = runtime;
  const failing = new Set<string>();
  const checkedAt = new Map<string, number>();

  /** An error counts as a check, or one endpoint would block all others. */
  async function check(endpointId: string) {
    try {
      const [disabled] = await disableFailingEndpoint(pool, { id: endpointId });
      if (disabled === undefined) return;
      endpointsDisabled.inc();
      log.warn(
        { endpointId, projectId: disabled.project_id },
        "disabled a webhook endpoint that only failed for three days",
      );
    } catch (error) {
      log.warn({ err: error, endpointId }, "checking a failing webhook endpoint failed");
    }
  }

  const job = every({
    name: "disabling of failing webhook endpoints",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      for (const id of failing) {
        if (runtime.stopping.aborted) return;
        if (checkedAt.size > ENDPOINTS_MAX) checkedAt.clear();
        await check(id);
        failing.delete(id);
        checkedAt.set(id, now());
      }
    },
  });
  return {
    add: (endpointId) => {
      const previous = checkedAt.get(endpointId);
      if (previous !== undefined && now() - previous < RECHECK_MS) return;
      if (failing.size < ENDPOINTS_MAX) failing.add(endpointId);
      job.wake();
    },
  };
}
