// Counts the attempts at endpoints and adds them to their hours. The counts are for people to look at: those of the
// last seconds before a stop are lost.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { addEndpointHours } from "../generated/sql.ts";
import type { Result } from "./delivery.ts";
import type { Worker } from "./workers.ts";

const WRITE_INTERVAL_MS = 2_000;
const ROWS_MAX = 1_000;

interface Count {
  succeeded: number;
  failed: number;
}

/** Returns a function that counts the attempt of a written result. */
export function startCountingHours(options: {
  pool: Pool;
  runtime: Runtime;
  worker: Worker;
}): (result: Result) => void {
  const { pool, runtime, worker } = options;
  let counts = new Map<string, Count>();

  function add(endpointId: string, { succeeded, failed }: Count) {
    const before = counts.get(endpointId) ?? { succeeded: 0, failed: 0 };
    counts.set(endpointId, {
      succeeded: before.succeeded + succeeded,
      failed: before.failed + failed,
    });
  }

  async function write(): Promise<void> {
    const id = worker.id();
    if (id === undefined) return;
    const waiting = [...counts];
    counts = new Map();
    try {
      while (waiting.length > 0) {
        const attempts = waiting
          .slice(0, ROWS_MAX)
          .map(([endpointId, count]) => ({ endpoint_id: endpointId, ...count }));
        await addEndpointHours(pool, { worker: id, attempts });
        waiting.splice(0, ROWS_MAX);
      }
    } finally {
      for (const [endpointId, count] of waiting) add(endpointId, count);
    }
  }

  every({
    name: "attempts by hour",
    intervalMs: WRITE_INTERVAL_MS,
    runtime,
    act: write,
  });
  return ({ delivery, log }) => {
    if (log === undefined) return;
    const isSuccess = log.error === undefined;
    add(delivery.endpointId, { succeeded: Number(isSuccess), failed: Number(!isSuccess) });
  };
}
