// What a good team writes around a job queue: graphile-worker with its local queue and grouped completions, connections
// that are kept, a signature, and a row for each attempt; written one by one, or grouped where `batched` says so.
import { createHmac, createSecretKey } from "node:crypto";
import { Logger, run } from "graphile-worker";
import pg from "pg";
import { Agent, request } from "undici";
import { servePart } from "../parts/child.ts";

const CONCURRENCY = 200;
const CONNECTIONS = 400;
const GROUP_MAX = 500;
const GROUP_MS = 5;

interface Options {
  url: string;
  ca: string;
  batched: boolean;
}

interface Job {
  eventId: string;
  projectId: string;
  body: string;
}

interface Attempt {
  eventId: string;
  endpointId: number;
  statusCode: number | null;
  durationMs: number;
}

servePart(async ({ url, ca, batched }: Options) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const dispatcher = new Agent({ connections: CONNECTIONS, connect: { ca } });
  const endpoints = new Map<string, { id: number; url: string }>();
  const log = batched ? grouped(pool) : (attempt: Attempt) => insertAttempts(pool, [attempt]);
  const key = createSecretKey(Buffer.from("whsec_bench"));

  async function findEndpoint(projectId: string) {
    const known = endpoints.get(projectId);
    if (known !== undefined) return known;
    const { rows } = await pool.query("select id, url from endpoints where project_id = $1", [
      projectId,
    ]);
    endpoints.set(projectId, rows[0]);
    return rows[0] as { id: number; url: string };
  }

  async function deliver(payload: unknown) {
    const { eventId, projectId, body } = payload as Job;
    const endpoint = await findEndpoint(projectId);
    const begun = performance.now();
    const sentAt = Math.floor(Date.now() / 1_000);
    const signature = createHmac("sha256", key).update(`${sentAt}.${body}`).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-service-event-id": eventId,
      "x-service-timestamp": `${sentAt}`,
      "x-service-signature": `v1=${signature}`,
    };
    const statusCode = await request(endpoint.url, { method: "POST", headers, body, dispatcher })
      .then(async (answer) => {
        await answer.body.dump();
        return answer.statusCode;
      })
      .catch(() => null);
    const durationMs = Math.round(performance.now() - begun);
    await log({ eventId, endpointId: endpoint.id, statusCode, durationMs });
    if (statusCode === null || statusCode >= 300) throw new Error("not delivered");
  }

  await run({
    pgPool: pool,
    taskList: { deliver },
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: CONCURRENCY,
        pollInterval: 500,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  return undefined;
});

async function insertAttempts(pool: pg.Pool, attempts: readonly Attempt[]): Promise<void> {
  await pool.query({
    name: "insert-attempts",
    text: `insert into attempts (event_id, endpoint_id, status_code, duration_ms)
      select * from unnest($1::text[], $2::int[], $3::smallint[], $4::int[])`,
    values: [
      attempts.map(({ eventId }) => eventId),
      attempts.map(({ endpointId }) => endpointId),
      attempts.map(({ statusCode }) => statusCode),
      attempts.map(({ durationMs }) => durationMs),
    ],
  });
}

/** Attempts that end within a few milliseconds are one statement. */
function grouped(pool: pg.Pool): (attempt: Attempt) => Promise<void> {
  let waiting: Attempt[] = [];
  let written: Promise<void> | undefined;

  async function flush() {
    await new Promise((resolve) => setTimeout(resolve, GROUP_MS));
    const list = waiting;
    waiting = [];
    written = undefined;
    for (let at = 0; at < list.length; at += GROUP_MAX) {
      await insertAttempts(pool, list.slice(at, at + GROUP_MAX));
    }
  }

  return (attempt) => {
    waiting.push(attempt);
    written ??= flush();
    return written;
  };
}
