// Two dispatchers under load are killed with SIGKILL again and again, at random moments: is every event delivered, and comes
// an event twice only where it was under way when a dispatcher was killed? `npm run bench -- kill-webhooks 10` kills ten
// times; the default is a hundred.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority, startPostgres } from "@pay/embedded";
import { newId } from "@pay/values";
import { figure } from "./figures.ts";
import type { Part } from "./parts/child.ts";
import { type Receiver, startReceiver } from "./parts/start-receiver.ts";
import { untilTrue } from "./parts/until-true.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { type ProductParts, startProductParts } from "./targets/product.ts";

const KILLS = Number(process.argv[3] ?? 100);
const REPLICAS = 2;
const ENDPOINTS = 50;
const EVENTS_AT_ONCE = 10;
const PUBLISH_EVERY_MS = 50;
const KILL_AFTER_MAX_MS = 1_500;

export function run(): Promise<void> {
  return withUndo(measure);
}

async function measure(undo: Undo): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pay-bench-kill-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const authority = createAuthority();
  const receiver = await startReceiver(authority.issue({ names: ["127.0.0.1"] }));
  undo.push(receiver.stop);
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  undo.push(() => postgres.stop());
  await mkdir(join(folder, "parts"));
  const parts = await startProductParts({
    ...{ ca: authority.ca, folder: join(folder, "parts"), postgres, undo },
  });
  const replicas = [];
  while (replicas.length < REPLICAS) replicas.push(await parts.startDispatcher());
  const projects = Array.from({ length: ENDPOINTS }, () => newId("proj"));
  const url = `${receiver.url}/hook`;
  await parts.createEndpoints(projects.map((projectId) => ({ projectId, url })));

  const arrivals = countArrivals(receiver);
  const load = startLoad(parts, projects);
  const underWay = new Map<string, number>();
  for (let kills = 0; kills < KILLS; kills++) {
    await killOne({ parts, replicas, at: kills % REPLICAS, arrivals, underWay });
  }
  const published = await load.finish();
  await untilTrue(async () => {
    await arrivals.read();
    return published.every((id) => arrivals.of(id) > 0);
  }).catch(() => {});
  await untilTrue(() => isQuiet(parts)).catch(() => {});
  await arrivals.read();
  const repeated = published.map((id) => ({ id, times: Math.max(0, arrivals.of(id) - 1) }));
  figure("kill-webhooks.kills", KILLS, "SIGKILLs");
  figure("kill-webhooks.events", published.length, "events");
  figure("kill-webhooks.lost", published.filter((id) => arrivals.of(id) === 0).length, "events");
  figure("kill-webhooks.under_way", sum([...underWay.values()]), "deliveries at the kills");
  figure("kill-webhooks.duplicates", sum(repeated.map(({ times }) => times)), "requests");
  const beyond = repeated.map(({ id, times }) => Math.max(0, times - (underWay.get(id) ?? 0)));
  figure("kill-webhooks.duplicates_unexplained", sum(beyond), "requests");
}

interface Arrivals {
  read(): Promise<void>;
  of(eventId: string): number;
}

function countArrivals(receiver: Receiver): Arrivals {
  const times = new Map<string, number>();
  return {
    read: async () => {
      for (const [id] of await receiver.arrivals()) times.set(id, (times.get(id) ?? 0) + 1);
    },
    of: (eventId) => times.get(eventId) ?? 0,
  };
}

/** Publishes until finish is called, which returns what the bus has acknowledged. */
function startLoad(parts: ProductParts, projects: readonly string[]) {
  const acknowledged: string[] = [];
  let going = true;
  const done = (async () => {
    for (let n = 0; going; ) {
      const events = Array.from({ length: EVENTS_AT_ONCE }, () => ({
        ...{ id: newId("evt"), paymentId: newId("pay") },
        projectId: projects[n++ % projects.length] ?? "",
      }));
      await parts.publish(events);
      acknowledged.push(...events.map(({ id }) => id));
      await pause(PUBLISH_EVERY_MS);
    }
  })();
  return {
    finish: async () => {
      going = false;
      await done;
      return acknowledged;
    },
  };
}

async function killOne(options: {
  parts: ProductParts;
  replicas: Part[];
  at: number;
  arrivals: Arrivals;
  underWay: Map<string, number>;
}): Promise<void> {
  const { parts, replicas, at, arrivals, underWay } = options;
  await pause(Math.random() * KILL_AFTER_MAX_MS);
  await replicas[at]?.kill();
  // What has arrived and is not recorded as delivered was under way.
  const { rows } = await parts.pool.query<{ event_id: string }>(
    "select event_id from deliveries where state = 'live' and owner is not null",
  );
  await arrivals.read();
  for (const { event_id: id } of rows) {
    if (arrivals.of(id) > 0) underWay.set(id, (underWay.get(id) ?? 0) + 1);
  }
  replicas[at] = await parts.startDispatcher();
}

async function isQuiet({ pool }: ProductParts): Promise<boolean> {
  return (await pool.query("select from deliveries where state = 'live' limit 1")).rowCount === 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
