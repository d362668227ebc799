// The statements of the hot path on tables that the server has analysed while they were quiet. The planner then expects
// no live rows, and a plan that is right for none must not be a slow one for thousands.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@pay/database";
import { createTestRuntime } from "@pay/process";
import { addPastPartitions, describeStatementPlans, testDatabase, until } from "@pay/testing";
import { newId } from "@pay/values";
import { Pool } from "pg";
import type { Result } from "../src/delivery/delivery.ts";
import * as statements from "../src/generated/sql.ts";
import { findTargets, listBacklog } from "../src/generated/sql.ts";
import { finishAttempts } from "../src/storage/cross-tenant.ts";
import { listLog } from "../src/storage/endpoint-log.ts";
import { listFiltered } from "../src/storage/feed.ts";
import { PLANNING } from "../src/storage/recent-days.ts";

const LIVE = 12_000;
const EARLY = 200;
const FEW = 100;
const LIST = 50;
const LISTS = 20;
const HISTORY = 100_000;
/** A total stops here. */
const COUNTED = 10_000;
/** Of the results of one statement. */
const LONGEST_LIST = 500;
/** Of the pool of a test's database. */
const CONNECTIONS = 5;

let pool: Pool;
let drop: () => Promise<void>;
let url: string;
beforeAll(async () => {
  ({ pool, drop, url } = await testDatabase("services/webhooks"));
});
afterAll(() => drop?.());

/** Its pool ends before its session does, and a session that is left is ended with the database. */
function openWorker(): Pool {
  return new Pool({ connectionString: url, max: 1 }).on("error", () => {});
}

interface Live {
  id: string;
  day: Date;
}

async function insertLive(count: number): Promise<Live[]> {
  const { rows } = await pool.query<Live>(
    `insert into deliveries (event_id, endpoint_id, owner, next_attempt_at)
     select 'evt_' || gen_random_uuid(), 'we_1', 1, now() from generate_series(1, $1) returning id, day`,
    [count],
  );
  return rows;
}

function success({ id, day }: Live): Result {
  return {
    delivery: {
      id,
      day,
      endpointId: "we_1",
      owner: 1,
      attempts: 0,
      eventId: newId("evt"),
      projectId: "proj_1",
      requestId: "",
      mode: 1,
      eventType: "payment.confirmed",
      resourceId: "pay_1",
      sequence: 1,
      occurredAt: new Date(0),
      isRedelivery: false,
      loadedAt: 0,
      dueAt: 0,
      body: Buffer.from("{}"),
    },
    next: { state: "delivered", delayMs: 0 },
    endedAt: 0,
    log: {
      number: 1,
      startedAt: new Date(),
      durationMs: 5,
      url: "https://a.example/",
      statusCode: 200,
      error: undefined,
      remoteAddress: "192.0.2.1",
      retryAfter: undefined,
      response: Buffer.from("ok"),
      responseComplete: true,
    },
  };
}

interface Work {
  updated: number;
  read: number;
}

/** What the server has done with the rows of a table so far. */
async function workSoFar(table = "deliveries"): Promise<Work> {
  // A connection tells what it did at the end of a statement; each is asked to.
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => pool.query("select pg_stat_force_next_flush()")),
  );
  const { rows } = await pool.query<Work>(
    `select sum(n_tup_upd)::int as updated, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
     from pg_stat_user_tables where starts_with(relname, $1)`,
    [table],
  );
  return rows[0] ?? { updated: 0, read: 0 };
}

test("a list of results reads pending rows at most once after an analysis of quiet tables", async () => {
  const early = await insertLive(EARLY);
  await finishAttempts(pool, early.map(success), 0);
  await pool.query("vacuum analyze");
  const live = await insertLive(LIVE);
  await until(async () => (await workSoFar()).updated === EARLY);
  const before = await workSoFar();
  for (let at = 0; at < LISTS; at++) {
    const list = live.slice(at * LIST, (at + 1) * LIST);
    expect(await finishAttempts(pool, list.map(success), 0)).toEqual(
      new Set(list.map(({ id }) => id)),
    );
  }
  await until(async () => (await workSoFar()).updated === EARLY + LISTS * LIST);
  // The product of results and live rows is 12 million. Look-ups by key read a row for each result; while the partition
  // is this small, a scan for each list may be planned as well.
  expect((await workSoFar()).read - before.read).toBeLessThan(LISTS * LIVE * 2);
});

test("a result for another owner, another attempt or no row changes nothing", async () => {
  const [live] = await insertLive(1);
  if (live === undefined) throw new Error("no row was inserted");
  const one = success(live);
  const others = [
    { ...one, delivery: { ...one.delivery, owner: 2 } },
    { ...one, delivery: { ...one.delivery, attempts: 1 } },
    success({ ...live, id: randomUUID() }),
    success({ ...live, day: new Date(live.day.getTime() + 86_400_000) }),
  ];
  expect(await finishAttempts(pool, others, 0)).toEqual(new Set());
  expect(await finishAttempts(pool, [one], 0)).toEqual(new Set([live.id]));
  expect(await finishAttempts(pool, [one], 0)).toEqual(new Set());
});

test("the longest list of results reads rows by key beside a long history", async () => {
  await pool.query(
    `insert into deliveries (event_id, endpoint_id, state, attempts, next_attempt_at, finished_at)
     select 'evt_' || gen_random_uuid(), 'we_2', 'delivered', 1, now(), now() from generate_series(1, $1)`,
    [HISTORY],
  );
  await pool.query("vacuum analyze deliveries");
  const live = await insertLive(LONGEST_LIST);
  const before = await workSoFar();
  expect(await finishAttempts(pool, live.map(success), 0)).toHaveProperty("size", LONGEST_LIST);
  const after = await until(
    async () => {
      const now = await workSoFar();
      return now.updated === before.updated + LONGEST_LIST && now;
    },
    { what: "what the statement has done" },
  );
  expect(after.read - before.read).toBeLessThan(LONGEST_LIST * 10);
});

test("deliveries and events of one payment are found without reading the history", async () => {
  const tenant = { projectId: newId("proj"), mode: 1 };
  const endpointId = newId("we");
  await pool.query(
    `with made as (
       insert into events (id, project_id, mode, type, resource_id, sequence, body, position, occurred_at)
       select 'evt_' || n, $1, $2, 'payment.confirmed', 'pay_' || n / 2, 1, '', n, now() from generate_series(1, $4) n
       returning id, day
     ) insert into deliveries (event_id, day, endpoint_id, state, attempts, next_attempt_at, finished_at)
       select id, day, $3, 'delivered', 1, now(), now() from made`,
    [tenant.projectId, tenant.mode, endpointId, HISTORY],
  );
  await pool.query("vacuum analyze events, deliveries");
  async function measure<T>(work: (worker: Pool) => Promise<T>, table?: string) {
    const worker = openWorker();
    const before = await workSoFar(table);
    const result = await work(worker);
    // It tells what it has read when it ends.
    await worker.end();
    const after = await until(
      async () => {
        const now = await workSoFar(table);
        return now.read > before.read && now;
      },
      { what: "what the statement has read" },
    );
    return { ...result, read: after.read - before.read };
  }

  function read(resourceId: string | undefined) {
    const endpointIds = [newId("we"), endpointId, "we_1"];
    const filter = { endpointIds, resourceId, state: undefined, eventType: undefined };
    return measure((worker) =>
      listLog(worker, tenant, {
        filter: { ...filter, eventId: undefined, from: undefined, to: undefined },
        limit: 51,
        offset: 0,
        start: undefined,
      }),
    );
  }

  const ofOne = await read("pay_7");
  expect(ofOne.rows.map(({ event_id }) => event_id).sort()).toEqual(["evt_14", "evt_15"]);
  expect(ofOne.total).toBe(2);
  expect(ofOne.read).toBeLessThan(100);
  const ofAll = await read(undefined);
  expect([ofAll.rows.length, ofAll.total]).toEqual([51, COUNTED]);
  // What is counted, and each endpoint's share of the page.
  expect(ofAll.read).toBeLessThan(COUNTED + LIVE + 1_000);

  const everything = {
    eventType: undefined,
    resourceId: undefined,
    from: undefined,
    to: undefined,
  };
  const ofFeed = await measure(
    (worker) =>
      listFiltered(worker, tenant, {
        filter: { ...everything, resourceId: "pay_7" },
        after: 0n,
        newestFirst: false,
        limit: 51,
      }),
    "events",
  );
  expect([ofFeed.rows.length, ofFeed.searched]).toEqual([2, 2]);
  expect(ofFeed.read).toBeLessThan(100);
});

test("endpoints created since the last analysis are found without reading all secrets for each", async () => {
  async function create(count: number): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      `with created as (
         insert into endpoints (id, project_id, mode, url)
         select 'we_' || n, 'proj_' || n, 1, 'https://a.example/' from (select gen_random_uuid() n from generate_series(1, $1)) t
         returning id, project_id
       ) insert into secrets (project_id, endpoint_id, seq, sealed)
         select project_id, id, 1, '' from created returning endpoint_id as id`,
      [count],
    );
    return rows.map(({ id }) => id);
  }

  const early = await create(FEW);
  await pool.query("vacuum analyze endpoints, secrets");
  const worker = openWorker();
  // From the sixth time on a connection keeps its plan.
  for (let nth = 0; nth < LISTS; nth++) await findTargets(worker, { ids: early });
  const many = await create(LIVE);
  const before = await workSoFar("secrets");
  const found = await findTargets(worker, { ids: many.slice(0, LONGEST_LIST) });
  // It tells what it has read when it ends.
  await worker.end();
  expect(found).toHaveLength(LONGEST_LIST);
  expect(found[0]).toMatchObject({ secret_seq: 1, next_seq: null, url: "https://a.example/" });
  const after = await until(
    async () => {
      const now = await workSoFar("secrets");
      return now.read > before.read && now;
    },
    { what: "what the statement has read" },
  );
  expect(after.read - before.read).toBeLessThan((FEW + LIVE) * 3);
});

test("a statement on two days locks only their partitions of thirty", async () => {
  await addPastPartitions(pool, "deliveries", 30);
  const runtime = createTestRuntime("webhooks");
  const worker = openDatabase({ url, poolMax: 1, runtime, ...PLANNING });
  const client = await worker.pool.connect();
  try {
    await client.query("begin");
    const since = new Date(Date.now() - 2 * 86_400_000);
    await listBacklog(client, { after: "", limit: 10, since });
    const { rows } = await client.query(
      `select relation::regclass::text as partition from pg_locks
       where pid = pg_backend_pid() and relation::regclass::text ~ '^deliveries_[0-9]{10}$'`,
    );
    // Both days, the beginning of a third, and the days ahead.
    expect(new Set(rows.map(({ partition }) => partition)).size).toBeLessThanOrEqual(5);
  } finally {
    client.release();
    await runtime.stop();
  }
});

describeStatementPlans({
  folder: "services/webhooks",
  statements,
  values: {
    // A day without a partition takes no rows.
    "endpoint_hours.hour": "date_trunc('hour', now(), 'UTC')",
    "deliveries.state": "(array['delivered', 'failed', 'parked', 'pending'])[1 + n % 4]",
  },
  small: {
    workers: "the running processes of the service",
    dead_letters: "an operator is woken by the first",
  },
  whole: {
    readOldestWait: "its partial indexes have deliveries that are pending, and nothing else",
  },
});
