// The load that webhook servers are put under: as fast as they go, and at a steady rate.
import { newId } from "@pay/values";
import { median } from "../figures.ts";
import type { Receiver } from "./start-receiver.ts";
import { untilTrue } from "./until-true.ts";
import type { WebhookEvent, WebhookTarget } from "./webhook-target.ts";

const PUBLISH_AT_ONCE = 500;
const RATE_PER_S = 1_000;
const RATE_SECONDS = 15;
const SLOW_PER_S = 2_000;
const SLOW_SECONDS = 10;
const FLAKY_PER_S = 250;
const FLAKY_SECONDS = 10;
const DELAYS_MS = [1_000, 5_000, 30_000];

export interface Load {
  target: WebhookTarget;
  receiver: Receiver;
}

let made = 0;

function anEvent(projects: readonly string[]): WebhookEvent {
  const projectId = projects[made++ % projects.length] ?? "";
  return { id: newId("evt"), projectId, paymentId: newId("pay") };
}

function events(projects: readonly string[], count: number): WebhookEvent[] {
  return Array.from({ length: count }, () => anEvent(projects));
}

/** Deliveries per second from the first event's publication to the last one's arrival. */
export async function drain(
  { target, receiver }: Load,
  projects: readonly string[],
  count: number,
): Promise<number> {
  const before = await receiver.count();
  const begun = performance.now();
  for (let n = 0; n < count; n += PUBLISH_AT_ONCE) {
    await target.publish(events(projects, Math.min(PUBLISH_AT_ONCE, count - n)));
  }
  await untilTrue(async () => (await receiver.count()) - before >= count);
  return count / ((performance.now() - begun) / 1_000);
}

/** Calls at a steady rate with how many are due now; ends when all that it began has ended. */
async function steadily(
  perS: number,
  seconds: number,
  publish: (count: number) => Promise<void>,
): Promise<void> {
  const begun = performance.now();
  const total = perS * seconds;
  const sends: Promise<void>[] = [];
  for (let n = 0; n < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * perS));
    if (due > n) sends.push(publish(due - n));
    n = due;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(sends);
}

/** An event's way, in milliseconds since 1970. */
export interface Passage {
  eventId: string;
  publishedAt: number;
  arrivedAt: number;
}

/**
 * From the acknowledgement of an event to the arrival of its request, in milliseconds, and the slowest hundredth of
 * all.
 */
export async function measureLatency(
  { target, receiver }: Load,
  options: { projects: readonly string[]; beside?: readonly string[]; share?: number },
): Promise<{ p50: number; p99: number; slowest: Passage[] }> {
  const { projects, beside = [], share = 0 } = options;
  const publishedAt = new Map<string, number>();
  await receiver.arrivals();
  let owed = 0;
  await steadily(RATE_PER_S, RATE_SECONDS, async (count) => {
    const own = events(projects, count);
    owed += count * share;
    const others = events(beside, Math.floor(owed));
    owed -= others.length;
    await target.publish([...own, ...others]);
    const at = performance.timeOrigin + performance.now();
    for (const { id } of own) publishedAt.set(id, at);
  });
  const passages: Passage[] = [];
  const total = publishedAt.size;
  await untilTrue(async () => {
    for (const [eventId, arrivedAt] of await receiver.arrivals()) {
      const at = publishedAt.get(eventId);
      if (at !== undefined) passages.push({ eventId, publishedAt: at, arrivedAt });
      publishedAt.delete(eventId);
    }
    return passages.length >= total;
  });
  const took = passages.map(computeDuration).sort((a, b) => a - b);
  const p99 = quantile(took, 0.99);
  return { p50: median(took), p99, slowest: passages.filter((one) => computeDuration(one) >= p99) };
}

function computeDuration({ publishedAt, arrivedAt }: Passage): number {
  return Math.max(0, arrivedAt - publishedAt);
}

/**
 * Where the time of these events went, by stage in milliseconds, each the median. Nothing where the server does not
 * say.
 */
export async function readStages(
  { target }: Load,
  passages: readonly Passage[],
): Promise<Record<"taken" | "started" | "arrived", number> | undefined> {
  if (target.stages === undefined) return undefined;
  const stages = await target.stages(passages.map(({ eventId }) => eventId));
  const known = passages.flatMap((passage) => {
    const stage = stages.get(passage.eventId);
    return stage === undefined ? [] : [{ ...passage, ...stage }];
  });
  return {
    taken: median(known.map(({ publishedAt, takenAt }) => takenAt - publishedAt)),
    started: median(known.map(({ takenAt, startedAt }) => startedAt - takenAt)),
    arrived: median(known.map(({ startedAt, arrivedAt }) => arrivedAt - startedAt)),
  };
}

/** More events than can be under way at receivers that take their time; ends when all have arrived. */
export async function crowd(
  { target, receiver }: Load,
  projects: readonly string[],
): Promise<void> {
  const before = await receiver.count();
  await steadily(SLOW_PER_S, SLOW_SECONDS, (count) => target.publish(events(projects, count)));
  const total = SLOW_PER_S * SLOW_SECONDS;
  await untilTrue(async () => (await receiver.count()) - before >= total);
  await receiver.arrivals();
}

/** How long after their time attempts 2 to 4 arrive, counted from the arrival of the attempt before. */
export async function measureLateness(
  { target, receiver }: Load,
  projects: readonly string[],
): Promise<{ p50: number; p99: number; early: number }> {
  const arrivedAt = new Map<string, number[]>();
  await receiver.arrivals();
  await steadily(FLAKY_PER_S, FLAKY_SECONDS, async (count) => {
    const list = events(projects, count);
    for (const { id } of list) arrivedAt.set(id, []);
    await target.publish(list);
  });
  let left = arrivedAt.size * (DELAYS_MS.length + 1);
  await untilTrue(async () => {
    for (const [eventId, at] of await receiver.arrivals()) {
      if (arrivedAt.get(eventId)?.push(at) !== undefined) left--;
    }
    return left <= 0;
  });
  const late = [...arrivedAt.values()].flatMap((times) =>
    DELAYS_MS.map((delay, at) => (times[at + 1] ?? 0) - (times[at] ?? 0) - delay),
  );
  return {
    p50: median(late),
    p99: quantile(late, 0.99),
    early: late.filter((ms) => ms < 0).length,
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
