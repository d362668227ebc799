// Two dispatchers under load are killed with SIGKILL again and again, at random moments: is every event delivered, and
// comes an event twice only where it was under way when a dispatcher was killed? `npm run bench -- kill-webhooks 10`
// kills ten times; the default is a hundred.
import { newId } from "@pay/values";
import { figure } from "./figures.ts";
import type { Part } from "./parts/child.ts";
import type { Receiver } from "./parts/start-receiver.ts";
import { untilTrue } from "./parts/until-true.ts";
import { openStage } from "./parts/webhook-stage.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";
import { type ProductParts, startProductParts } from "./targets/product.ts";

const KILLS = Number(process.argv[3] ?? 100);
const REPLICAS = 2;
const ENDPOINTS = 50;
const EVENTS_AT_ONCE = 10;
const PUBLISH_EVERY_MS = 50;
const KILL_AFTER_MAX_MS = 1_500;
/** A worker that is silent for this long is removed by the others. */
const SILENCE_MAX_MS = 10_000;

export function run(): Promise<void> {
  return withUndo(measure);
}

async function measure(undo: Undo): Promise<void> {
  const { receiver, options } = await openStage(undo);
  const parts = await startProductParts(options);
  const replicas: Replica[] = [];
  while (replicas.length < REPLICAS) replicas.push(await startReplica(parts));
  const projects = Array.from({ length: ENDPOINTS }, () => newId("proj"));
  const url = `${receiver.url}/hook`;
  await parts.createEndpoints(projects.map((projectId) => ({ projectId, url })));

  const arrivals = recordArrivals(receiver);
  const load = startLoad(parts, projects);
  const kills: Kill[] = [];
  while (kills.length < KILLS) {
    await pause(Math.random() * KILL_AFTER_MAX_MS);
    const at = kills.length % REPLICAS;
    kills.push(await kill(parts, replicas[at]));
    replicas[at] = await startReplica(parts);
  }
  const published = await load.finish();
  await untilTrue(async () => {
    await arrivals.read();
    return published.every((id) => arrivals.of(id).length > 0);
  }).catch(() => {});
  await untilTrue(() => isQuiet(parts)).catch(() => {});
  await arrivals.read();
  const counts = published.map((id) => getCount(id, { kills, arrivedAt: arrivals.of(id) }));
  figure("kill-webhooks.kills", KILLS, "SIGKILLs");
  const removedAlive = (await newestWorker(parts)) - REPLICAS - KILLS;
  figure("kill-webhooks.removed_alive", removedAlive, "dispatchers");
  figure("kill-webhooks.events", published.length, "events");
  figure(
    "kill-webhooks.lost",
    published.filter((id) => arrivals.of(id).length === 0).length,
    "events",
  );
  figure(
    "kill-webhooks.under_way",
    sum(counts.map(({ underWay }) => underWay)),
    "deliveries at the kills",
  );
  figure("kill-webhooks.duplicates", sum(counts.map(({ repeats }) => repeats)), "requests");
  figure(
    "kill-webhooks.duplicates_unexplained",
    sum(counts.map(({ unexplained }) => unexplained)),
    "requests",
  );
}

/** A killed dispatcher. */
interface Kill {
  /** From then on others may take over what it had, because its last heartbeat is too old. */
  takeoverAt: number;
  /** Those whose deliveries it had not recorded as ended. */
  events: ReadonlySet<string>;
}

interface Replica {
  part: Part;
  worker: number;
}

async function startReplica(parts: ProductParts): Promise<Replica> {
  const part = await parts.startDispatcher();
  // One starts at a time, so the newest worker is this one.
  return { part, worker: await newestWorker(parts) };
}

async function newestWorker({ pool }: ProductParts): Promise<number> {
  const { rows } = await pool.query<{ id: number }>("select max(id) as id from workers");
  return rows[0]?.id ?? 0;
}

async function kill({ pool }: ProductParts, replica: Replica | undefined): Promise<Kill> {
  await replica?.part.kill();
  const { rows } = await pool.query<{ heartbeat_at: Date; events: string[] }>(
    `select heartbeat_at, array(select event_id from deliveries where state = 'pending' and owner = workers.id) as events
     from workers where id = $1`,
    [replica?.worker],
  );
  const [row] = rows;
  // Without its row it was removed before it was killed.
  return {
    takeoverAt: row === undefined ? Date.now() : row.heartbeat_at.getTime() + SILENCE_MAX_MS,
    events: new Set(row?.events),
  };
}

/**
 * The takeovers of an event divide its requests by the dispatchers that made them. A dispatcher makes one request, so
 * every other one of the same dispatcher is unexplained. A request counts by its arrival and not by what had arrived at
 * the kill, because a receiver reads some requests after their sender's end.
 */
function getCount(id: string, { kills, arrivedAt }: { kills: Kill[]; arrivedAt: number[] }) {
  const ends = kills.filter(({ events }) => events.has(id)).map(({ takeoverAt }) => takeoverAt);
  const requests = [...ends, Number.POSITIVE_INFINITY].map(
    (end, place) => arrivedAt.filter((at) => at < end && at >= (ends[place - 1] ?? 0)).length,
  );
  return {
    underWay: requests.slice(0, -1).filter((count) => count > 0).length,
    repeats: Math.max(0, arrivedAt.length - 1),
    unexplained: sum(requests.map((count) => Math.max(0, count - 1))),
  };
}

interface Arrivals {
  read(): Promise<void>;
  /** The times at which an event arrived. */
  of(eventId: string): number[];
}

function recordArrivals(receiver: Receiver): Arrivals {
  const times = new Map<string, number[]>();
  return {
    read: async () => {
      for (const [id, at] of await receiver.arrivals()) {
        times.set(id, [...(times.get(id) ?? []), at]);
      }
    },
    of: (eventId) => times.get(eventId) ?? [],
  };
}

/** Publishes until finish is called, which returns what the bus has acknowledged. */
function startLoad(parts: ProductParts, projects: readonly string[]) {
  const acknowledged: string[] = [];
  let going = true;
  const done = (async () => {
    for (let n = 0; going; ) {
      const events = Array.from({ length: EVENTS_AT_ONCE }, () => ({
        id: newId("evt"),
        paymentId: newId("pay"),
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

async function isQuiet({ pool }: ProductParts): Promise<boolean> {
  return (
    (await pool.query("select from deliveries where state = 'pending' limit 1")).rowCount === 0
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
