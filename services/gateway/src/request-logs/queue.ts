// Requests on their way to the request log. They wait in memory and are written together, so that no request waits for
// the log. Failure modes:
// - more requests than are written: a project has a share of the places, and shoppers a small one of its share; a
//   request without a place is not in the log, and is counted;
// - the database is away: what waits stays until it is back;
// - a process dies: what waits is lost, a quarter of a second as a rule.
import { every, type Runtime } from "@pay/process";
import type { Pool } from "pg";
import { Counter } from "prom-client";
import { insertRequestLogs } from "../generated/sql.ts";
import type { RequestLogEntry } from "./entries.ts";

const INTERVAL_MS = 250;
const PLACES = 5_000;
/** Of one project, each interval: ten times its rate limit, and less than creations notice. */
const SHARE = 250;
/** Of the visitors of one project, who are many and hold its publishable key. */
const VISITORS_SHARE = 25;
const STATEMENT_ROWS = 1_000;

const dropped = new Counter({
  name: "request_log_dropped_total",
  help: "Requests that are not in the request log, because too many came at once",
});

export interface NewRequestLog extends RequestLogEntry {
  project_id: string;
  mode: "live" | "test";
}

export interface RequestQueue {
  note(request: NewRequestLog, from: { isVisitor: boolean }): void;
  write(pool: Pool): Promise<void>;
}

export function createRequestQueue(): RequestQueue {
  let waiting: NewRequestLog[] = [];
  let taken = new Map<string, number>();

  return {
    note: (request, { isVisitor }) => {
      const owner = isVisitor ? `${request.project_id} visitors` : request.project_id;
      const count = taken.get(owner) ?? 0;
      if (waiting.length >= PLACES || count >= (isVisitor ? VISITORS_SHARE : SHARE)) {
        return dropped.inc();
      }
      taken.set(owner, count + 1);
      waiting.push(request);
    },
    write: async (pool) => {
      while (waiting.length > 0) {
        const requests = waiting.slice(0, STATEMENT_ROWS);
        await insertRequestLogs(pool, { requests });
        waiting = waiting.slice(requests.length);
      }
      taken = new Map();
    },
  };
}

export function startRequestLog(pool: Pool, runtime: Runtime): Pick<RequestQueue, "note"> {
  const queue = createRequestQueue();
  const act = () => queue.write(pool);
  // Parts stop in reverse order: the job ends first, and the requests that came last are written after it.
  runtime.onStop("request log", act);
  every({ name: "request log", intervalMs: INTERVAL_MS, runtime, act });
  return queue;
}
