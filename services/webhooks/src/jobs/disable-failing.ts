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
  const noted = new Set<string>();
  const judgedAt = new Map<string, number>();
  const job = every({
    name: "disabling of failing webhook endpoints",
    intervalMs: INTERVAL_MS,
    runtime,
    act: async () => {
      const ids = [...noted];
      if (ids.length === 0) return;
      const disabled = await disableFailing(pool, ids);
      if (judgedAt.size > ENDPOINTS_MAX) judgedAt.clear();
      for (const id of ids) {
        noted.delete(id);
        judgedAt.set(id, now());
      }
      for (const { id, project_id } of disabled) {
        endpointsDisabled.inc();
        runtime.log.warn(
          { endpointId: id, projectId: project_id },
          "a webhook endpoint was disabled: only failures for three days",
        );
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
