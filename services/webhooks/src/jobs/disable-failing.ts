// Disables endpoints that have failed for days, so that a receiver that does not exist any more takes no slots and no log.
// Each worker judges the endpoints whose deliveries it has seen fail; two that judge the same one do the same.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { endpointsDisabled } from "../metrics.ts";
import { disableFailing } from "../storage/failing-endpoints.ts";

const INTERVAL_MS = 60_000;
/** An endpoint that fails all the time is judged this often. */
const JUDGE_AGAIN_MS = 600_000;
const ENDPOINTS_MAX = 10_000;

export interface FailingEndpoints {
  /** A delivery to this endpoint has failed for good. */
  note(endpointId: string): void;
}

export function startDisabling(options: {
  pool: Pool;
  runtime: Runtime;
  now: () => number;
}): FailingEndpoints {
  const { pool, runtime, now } = options;
  const { log } = runtime;
  const noted = new Set<string>();
  const judgedAt = new Map<string, number>();

  /** Counts as judged also where the answer is a fault, or one endpoint would keep all others from being judged. */
  async function judge(endpointId: string) {
    try {
      const projectId = await disableFailing(pool, endpointId);
      if (projectId === undefined) return;
      endpointsDisabled.inc();
      log.warn(
        { endpointId, projectId },
        "a webhook endpoint was disabled: only failures for three days",
      );
    } catch (error) {
      log.warn({ err: error, endpointId }, "a failing webhook endpoint was not judged");
    }
  }

  const job = every({
    name: "disabling of failing webhook endpoints",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      for (const id of noted) {
        if (runtime.stopping.aborted) return;
        if (judgedAt.size > ENDPOINTS_MAX) judgedAt.clear();
        await judge(id);
        noted.delete(id);
        judgedAt.set(id, now());
      }
    },
  });
  return {
    note: (endpointId) => {
      const before = judgedAt.get(endpointId);
      if (before !== undefined && now() - before < JUDGE_AGAIN_MS) return;
      if (noted.size < ENDPOINTS_MAX) noted.add(endpointId);
      job.wake();
    },
  };
}
