// Writes the load of endpoints at this worker, for merchants to read: only rows that changed, once a second.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { CONCURRENCY_MIN } from "../domain/pacing.ts";
import { writeEndpointLoads } from "../generated/sql.ts";
import { countWaiting, type EndpointQueue } from "./endpoint-queues.ts";
import type { Worker } from "./workers.ts";

const WRITE_INTERVAL_MS = 1_000;
const ROWS_MAX = 1_000;

export interface EndpointLoad {
  endpointId: string;
  /** Limit of requests in flight. */
  concurrency: number;
  /** Deliveries that are due and wait for a slot. */
  backlog: number;
}

/** The loads that differ from the load at rest. */
export function listLoads(queues: Iterable<EndpointQueue>): EndpointLoad[] {
  return [...queues]
    .map((queue) => ({
      endpointId: queue.endpointId,
      concurrency: queue.pace.limit,
      backlog: countWaiting(queue),
    }))
    .filter(({ concurrency, backlog }) => concurrency !== CONCURRENCY_MIN || backlog > 0);
}

export function startWritingLoads(options: {
  pool: Pool;
  runtime: Runtime;
  worker: Worker;
  listLoads: () => EndpointLoad[];
}): void {
  const { pool, runtime, worker } = options;
  let owner: number | undefined;
  const written = new Map<string, EndpointLoad>();

  function listChanges() {
    const loads = new Map(options.listLoads().map((load) => [load.endpointId, load]));
    const changed = [...loads.values()].filter(
      (load) => !isSame(load, written.get(load.endpointId)),
    );
    const ended = [...written.keys()].filter((endpointId) => !loads.has(endpointId));
    return [
      ...changed,
      ...ended.map((endpointId) => ({ endpointId, concurrency: null, backlog: null })),
    ];
  }

  async function write(id: number, changes: ReturnType<typeof listChanges>) {
    await writeEndpointLoads(pool, {
      worker: id,
      loads: changes.map(({ endpointId, ...load }) => ({ endpoint_id: endpointId, ...load })),
    });
    for (const { endpointId, concurrency, backlog } of changes) {
      if (concurrency === null) written.delete(endpointId);
      else written.set(endpointId, { endpointId, concurrency, backlog });
    }
  }

  every({
    name: "load of webhook endpoints",
    intervalMs: WRITE_INTERVAL_MS,
    runtime,
    act: async () => {
      const id = worker.id();
      if (id === undefined) return;
      // The rows of a worker that was removed are gone.
      if (id !== owner) written.clear();
      owner = id;
      const changes = listChanges();
      for (let at = 0; at < changes.length; at += ROWS_MAX) {
        await write(id, changes.slice(at, at + ROWS_MAX));
      }
    },
  });
}

function isSame(load: EndpointLoad, other: EndpointLoad | undefined): boolean {
  return load.concurrency === other?.concurrency && load.backlog === other.backlog;
}
