// How many webhooks a second leave this machine, and how long after an event is on the bus is its request with the
// merchant? Real Kafka, real PostgreSQL with a history of finished deliveries, analysed, and a receiver with TLS, all
// on this machine; publisher, dispatcher and receiver are processes of their own. raw_per_s is the same receiver under
// bare signed requests, without bus and database: the machine's limit in the same run. The ratios are to a job queue
// under the same load. Options: --history 100000 (a million rows otherwise), --target FILE for another server under the
// same load.
import { createHmac, createSecretKey } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { createAuthority } from "@pay/embedded";
import { newId } from "@pay/values";
import { Agent, request } from "undici";
import { figure, median } from "./figures.ts";
import { startReceiver } from "./parts/start-receiver.ts";
import {
  crowd,
  drain,
  type Load,
  measureLatency,
  measureLateness,
  type Passage,
  readStages,
} from "./parts/webhook-load.ts";
import { openStage } from "./parts/webhook-stage.ts";
import type { TargetModule } from "./parts/webhook-target.ts";
import { withUndo } from "./parts/with-undo.ts";

const ENDPOINTS = 100;
const MANY_ENDPOINTS = 5_000;
const HANGING_SHARE = 0.1;
const RAW_CONNECTIONS = 400;
const RAW_POSTS = 20_000;
const WARM_UP_EVENTS = 5_000;
const DRAIN_EVENTS = 20_000;
const ROUNDS = 3;
const HISTORY_ROWS = "1000000";

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { history: { type: "string", default: HISTORY_ROWS }, target: { type: "string" } },
  });
  if (values.target !== undefined) return measureOther(resolve(values.target));
  await measureRaw();
  const own = await measureProduct(Number(values.history));
  const queueModule = await import("./targets/queue.ts");
  const queue = await measureThroughput("queue", queueModule);
  figure("webhooks.ratio_to_queue", own / queue, "x");
  const batched = await measureThroughput("batched_queue", queueModule.batchedQueue);
  figure("webhooks.ratio_to_batched_queue", own / batched, "x");
}

async function measureProduct(history: number): Promise<number> {
  return withStage(await import("./targets/product.ts"), async (load) => {
    const { target } = load;
    const projects = await createEndpoints(load, ENDPOINTS, "/hook");
    const empty = await throughput(load, projects);
    await target.fillHistory?.(history);
    const { perS, cpuUs } = await throughput(load, projects);
    figure("webhooks.per_s", perS, "deliveries/s");
    figure("webhooks.cpu_us", cpuUs, "us");
    figure("webhooks.growth_ratio", perS / empty.perS, `x, ${history} finished rows by none`);
    const added = await measureLatency(load, { projects });
    figure("webhooks.added_p50_ms", added.p50, "ms");
    figure("webhooks.added_p99_ms", added.p99, "ms");
    await slowest(load, added.slowest);
    await lateness(load);
    await besideHanging(load);
    figure("webhooks.rss_mb", (await target.usage()).rssMb, "MB");
    await crowded(load);
    return perS;
  });
}

/** Where the slowest hundredth spent its time: on the bus, in the dispatcher, or on the way to the receiver. */
async function slowest(load: Load, passages: readonly Passage[]): Promise<void> {
  const stages = await readStages(load, passages);
  if (stages === undefined) return;
  figure("webhooks.slowest_taken_ms", stages.taken, "ms from the bus to the statement");
  figure("webhooks.slowest_started_ms", stages.started, "ms from there to the attempt");
  figure("webhooks.slowest_arrived_ms", stages.arrived, "ms from there to the receiver");
}

async function lateness(load: Load): Promise<void> {
  const flaky = await createEndpoints(load, ENDPOINTS, "/flaky");
  const { p50, p99, early } = await measureLateness(load, flaky);
  figure("webhooks.lateness_p50_ms", p50, "ms");
  figure("webhooks.lateness_p99_ms", p99, "ms");
  figure("webhooks.early", early, "attempts before their time");
}

async function besideHanging(load: Load): Promise<void> {
  const hangingCount = MANY_ENDPOINTS * HANGING_SHARE;
  const projects = await createEndpoints(load, MANY_ENDPOINTS - hangingCount, "/hook");
  const alone = await measureLatency(load, { projects });
  const hanging = await createEndpoints(load, hangingCount, "/hang");
  const beside = await measureLatency(load, { projects, beside: hanging, share: HANGING_SHARE });
  figure("webhooks.healthy_p99_ms", alone.p99, "ms");
  figure("webhooks.beside_hanging_p99_ms", beside.p99, "ms");
  figure("webhooks.hanging_p99_ratio", beside.p99 / alone.p99, "x");
}

/** The most that the dispatcher holds while it has as many requests under way as it may. */
async function crowded(load: Load): Promise<void> {
  await crowd(load, await createEndpoints(load, MANY_ENDPOINTS, "/slow"));
  figure("webhooks.under_way_max", await load.receiver.mostUnderWay(), "requests at once");
  figure("webhooks.crowded_rss_mb", (await load.target.usage()).rssMb, "MB");
}

async function measureThroughput(name: string, module: TargetModule): Promise<number> {
  return withStage(module, async (load) => {
    const projects = await createEndpoints(load, ENDPOINTS, "/hook");
    const { perS, cpuUs } = await throughput(load, projects);
    figure(`webhooks.${name}_per_s`, perS, "deliveries/s");
    figure(`webhooks.${name}_cpu_us`, cpuUs, "us");
    return perS;
  });
}

async function measureOther(path: string): Promise<void> {
  const module = (await import(path)) as TargetModule;
  await withStage(module, async (load) => {
    const projects = await createEndpoints(load, ENDPOINTS, "/hook");
    const { perS, cpuUs } = await throughput(load, projects);
    figure("webhooks.target_per_s", perS, "deliveries/s");
    figure("webhooks.target_cpu_us", cpuUs, "us");
    const added = await measureLatency(load, { projects });
    figure("webhooks.target_added_p50_ms", added.p50, "ms");
    figure("webhooks.target_added_p99_ms", added.p99, "ms");
    await besideHanging(load);
  });
}

async function throughput(
  load: Load,
  projects: readonly string[],
): Promise<{ perS: number; cpuUs: number }> {
  await drain(load, projects, WARM_UP_EVENTS);
  const { cpuMs: before } = await load.target.usage();
  const rounds: number[] = [];
  while (rounds.length < ROUNDS) rounds.push(await drain(load, projects, DRAIN_EVENTS));
  const { cpuMs } = await load.target.usage();
  await load.receiver.arrivals();
  return {
    perS: median(rounds),
    cpuUs: ((cpuMs - before) * 1_000) / (ROUNDS * DRAIN_EVENTS),
  };
}

async function createEndpoints(
  { target, receiver }: Load,
  count: number,
  path: string,
): Promise<string[]> {
  const projects = Array.from({ length: count }, () => newId("proj"));
  const url = `${receiver.url}${path}`;
  await target.createEndpoints(projects.map((projectId) => ({ projectId, url })));
  return projects;
}

/** PostgreSQL, receiver and server of their own for each measurement, one after the other. */
async function withStage<A>(
  { startTarget, idHeader }: TargetModule,
  measure: (load: Load) => Promise<A>,
): Promise<A> {
  return withUndo(async (undo) => {
    const { receiver, options } = await openStage(undo, idHeader);
    const target = await startTarget(options);
    return await measure({ target, receiver });
  });
}

async function measureRaw(): Promise<void> {
  const authority = createAuthority();
  const receiver = await startReceiver(authority.issue({ names: ["127.0.0.1"] }));
  const dispatcher = new Agent({ connections: RAW_CONNECTIONS, connect: { ca: authority.ca } });
  const body = JSON.stringify({ id: newId("pay"), status: "confirmed", amount: "1500000" });
  const headers = { "content-type": "application/json" };
  async function post() {
    const key = createSecretKey(Buffer.from("whsec_bench"));
    createHmac("sha256", key).update(body).digest("hex");
    const options = { method: "POST" as const, headers, body, dispatcher };
    await (await request(`${receiver.url}/raw`, options)).body.dump();
  }

  async function spree(count: number) {
    let left = count;
    async function client() {
      while (left-- > 0) await post();
    }

    await Promise.all(Array.from({ length: RAW_CONNECTIONS }, client));
  }

  await spree(RAW_POSTS / 10);
  const begun = performance.now();
  await spree(RAW_POSTS);
  figure("webhooks.raw_per_s", RAW_POSTS / ((performance.now() - begun) / 1_000), "requests/s");
  await dispatcher.destroy();
  await receiver.stop();
}
