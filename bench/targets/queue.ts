// A job queue in PostgreSQL and an HTTP client: what most teams build their webhooks from.
import { join } from "node:path";
import { runMigrations } from "graphile-worker";
import pg from "pg";
import { startPart, type Usage } from "../parts/child.ts";
import { readBody, type TargetOptions, type WebhookTarget } from "../parts/webhook-target.ts";

const TABLES = `
  create table endpoints (id serial primary key, project_id text not null unique, url text not null);
  create table attempts (
    id bigserial primary key, event_id text not null, endpoint_id integer not null, status_code smallint,
    duration_ms integer not null, started_at timestamptz not null default now()
  );
  create index on attempts (event_id)`;

export function startTarget(options: TargetOptions): Promise<WebhookTarget> {
  return startQueue(options, { batched: false });
}

/** The same queue with the rows of attempts grouped. */
export const batchedQueue = {
  startTarget: (options: TargetOptions): Promise<WebhookTarget> =>
    startQueue(options, { batched: true }),
};

async function startQueue(
  { ca, postgres, undo }: TargetOptions,
  { batched }: { batched: boolean },
): Promise<WebhookTarget> {
  const url = await postgres.provide(batched ? "batched_queue" : "queue");
  await runMigrations({ connectionString: url });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  // Its connections may end after PostgreSQL.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  undo.push(() => pool.end());
  await pool.query(TABLES);
  const worker = startPart(join(import.meta.dirname, "queue-process.ts"));
  undo.push(worker.stop);
  await worker.ask({ url, ca, batched });
  return {
    createEndpoints: async (endpoints) => {
      await pool.query(
        "insert into endpoints (project_id, url) select * from unnest($1::text[], $2::text[])",
        [endpoints.map(({ projectId }) => projectId), endpoints.map((endpoint) => endpoint.url)],
      );
    },
    publish: async (events) => {
      const jobs = events.map((event) => ({
        identifier: "deliver",
        payload: { eventId: event.id, projectId: event.projectId, body: readBody(event) },
        max_attempts: 4,
      }));
      await pool.query(
        `select from graphile_worker.add_jobs(array(
           select json_populate_record(null::graphile_worker.job_spec, job) from json_array_elements($1) job
         ))`,
        [JSON.stringify(jobs)],
      );
    },
    usage: () => worker.ask<Usage>("usage"),
  };
}
