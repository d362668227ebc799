// How many webhooks a second leave this machine, and how long after an event is on the bus is its request with the
// merchant? Real Kafka, real PostgreSQL, a receiver with TLS in a process of its own, all on this machine; the
// dispatcher shares a process with the publisher. raw_per_s is the same receiver under bare signed requests, without
// bus and database: the machine's limit in the same run, for comparison. beside_hanging is the latency of the
// same merchants while a tenth as many events go to ten receivers that never answer.
import { type ChildProcess, fork } from "node:child_process";
import { createHmac, createSecretKey } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, migrationFilesOf } from "@pay/database";
import { createAuthority, startKafka, startPostgres } from "@pay/embedded";
import { type Bus, createKafkaBus, outboxRow } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { newId } from "@pay/values";
import { startWebhooks, webhooksConfig } from "@pay/webhooks";
import pg from "pg";
import { Agent, request } from "undici";
import { figure, median } from "./figures.ts";

const ENDPOINTS = 100;
const HANGING_ENDPOINTS = 10;
const CONNECTIONS_PER_ENDPOINT = 4;
const RAW_POSTS = 20_000;
const WARM_UP_EVENTS = 5_000;
const DRAIN_EVENTS = 20_000;
const PUBLISH_AT_ONCE = 500;
const RATE_PER_S = 1_000;
const RATE_SECONDS = 15;
const WAIT_MAX_MS = 180_000;
const SERVICE = join(import.meta.dirname, "..", "services", "webhooks");

interface Stage {
  bus: Bus;
  receiver: Receiver;
  projects: string[];
  hanging: string[];
}

export async function run(): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    const authority = createAuthority();
    const receiver = await startReceiver(authority.issue({ names: ["127.0.0.1"] }));
    undo.push(receiver.stop);
    await measureRaw(receiver, authority.ca);
    const stage = await setUp(receiver, authority.ca, undo);
    await measureDrain(stage);
    await measureLatency(stage, "added");
    await measureLatency(stage, "beside_hanging", stage.hanging);
  } finally {
    for (const undoOne of undo.reverse()) await undoOne();
  }
}

async function setUp(
  receiver: Receiver,
  ca: string,
  undo: (() => Promise<unknown>)[],
): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "pay-bench-deliver-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
  undo.push(() => postgres.stop());
  const url = await postgres.provide("webhooks");
  const kafka = await startKafka({ dataDir: join(folder, "kafka") });
  undo.push(() => kafka.kill());
  const runtime = createTestRuntime("bench");
  await migrate({ url, ...migrationFilesOf(SERVICE), log: runtime.log });
  const bus = await createKafkaBus({ brokers: kafka.brokers, clientId: "bench", runtime });
  const config = readConfig(webhooksConfig, {
    WEBHOOKS_DATABASE_URL: url,
    WEBHOOKS_GRPC_PORT: "0",
    WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
    WEBHOOKS_ALLOW_LOOPBACK: "1",
  });
  await startWebhooks(config, runtime, { bus, egress: { ca } });
  undo.push(() => runtime.stop());
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  undo.push(() => pool.end());
  const projects = await createEndpoints(bus, pool, ENDPOINTS, `${receiver.url}/hook`);
  const hanging = await createEndpoints(bus, pool, HANGING_ENDPOINTS, `${receiver.url}/hang`);
  return { bus, receiver, projects, hanging };
}

async function createEndpoints(bus: Bus, pool: pg.Pool, count: number, url: string) {
  const ids = Array.from({ length: count }, () => newId("proj"));
  const records = ids.map((id) =>
    outboxRow({
      type: "project.created",
      projectId: id,
      resourceId: id,
      resource: { case: "project", value: { id, name: "Bench", callbackUrl: url, version: 1 } },
    }),
  );
  await untilTrue(async () => {
    // A new topic may have no leader yet.
    await bus.publish(records).catch(() => {});

    const { rowCount } = await pool.query("select from endpoints where project_id = any($1)", [
      ids,
    ]);
    return rowCount === count;
  });
  return ids;
}

async function measureRaw(receiver: Receiver, ca: string): Promise<void> {
  const connections = CONNECTIONS_PER_ENDPOINT * ENDPOINTS;
  const dispatcher = new Agent({ connections, connect: { ca } });
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

    await Promise.all(Array.from({ length: connections }, client));
  }

  await spree(RAW_POSTS / 10);
  const begun = performance.now();
  await spree(RAW_POSTS);
  figure("deliver.raw_per_s", RAW_POSTS / ((performance.now() - begun) / 1_000), "requests/s");
  await dispatcher.destroy();
}

async function measureDrain({ bus, receiver, projects }: Stage): Promise<void> {
  async function drain(count: number) {
    const before = await receiver.count();
    const begun = performance.now();
    for (let n = 0; n < count; n += PUBLISH_AT_ONCE) {
      await bus.publish(Array.from({ length: PUBLISH_AT_ONCE }, () => anEvent(projects)));
    }
    await untilTrue(async () => (await receiver.count()) - before >= count);
    return count / ((performance.now() - begun) / 1_000);
  }

  await drain(WARM_UP_EVENTS);
  const cpu = process.cpuUsage();
  const rounds = [await drain(DRAIN_EVENTS), await drain(DRAIN_EVENTS), await drain(DRAIN_EVENTS)];
  const { user, system } = process.cpuUsage(cpu);
  figure("deliver.per_s", median(rounds), "deliveries/s");
  figure("deliver.cpu_us", (user + system) / (3 * DRAIN_EVENTS), "us");
  await receiver.arrivals();
}

async function measureLatency(stage: Stage, name: string, beside: string[] = []): Promise<void> {
  const { bus, receiver, projects } = stage;
  const publishedAt = new Map<string, number>();
  const begun = performance.now();
  const total = RATE_PER_S * RATE_SECONDS;
  const sends: Promise<void>[] = [];
  for (let n = 0; n < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1_000) * RATE_PER_S));
    const rows = Array.from({ length: due - n }, () => anEvent(projects));
    const besides = Math.floor(due / 10) - Math.floor(n / 10);
    const others =
      beside.length === 0 ? [] : Array.from({ length: besides }, () => anEvent(beside));
    n = due;
    if (rows.length > 0) {
      sends.push(
        bus.publish([...rows, ...others]).then(() => {
          const at = performance.timeOrigin + performance.now();
          for (const { eventId } of rows) publishedAt.set(eventId, at);
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(sends);
  const took: number[] = [];
  await untilTrue(async () => {
    for (const [eventId, at] of await receiver.arrivals()) {
      const from = publishedAt.get(eventId);
      if (from !== undefined) took.push(Math.max(0, at - from));
      publishedAt.delete(eventId);
    }
    return took.length >= total;
  });
  took.sort((a, b) => a - b);
  figure(`deliver.${name}_p50_ms`, median(took), "ms");
  figure(`deliver.${name}_p99_ms`, took[Math.floor(took.length * 0.99)] ?? Number.NaN, "ms");
}

let made = 0;

function anEvent(projects: string[]) {
  const projectId = projects[made++ % projects.length] ?? "";
  const id = newId("pay");
  const seconds = BigInt(Math.floor(Date.now() / 1_000));
  return outboxRow({
    type: "payment.confirmed",
    projectId,
    mode: 1,
    resourceId: id,
    sequence: 3,
    occurredAt: { seconds, nanos: 0 },
    resource: {
      case: "payment",
      value: {
        id,
        projectId,
        status: "confirmed",
        amount: "100.50",
        baseAmount: "100500000",
        decimals: 6,
        currency: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
        chainId: 137n,
        txHash: `0x${"ab".repeat(32)}`,
        blockNumber: 1_000_000n,
        orderId: "order-4711",
        metadataJson: '{"cart":"c_8812","customer":"4711","channel":"web"}',
      },
    },
  });
}

interface Receiver {
  url: string;
  count(): Promise<number>;
  /** Event ids and times since the last call. */
  arrivals(): Promise<[string, number][]>;
  stop(): Promise<void>;
}

async function startReceiver(certificate: { cert: string; key: string }): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, "parts", "receiver.ts"));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const { port } = await ask<{ port: number }>(child, certificate);
  return {
    url: `https://127.0.0.1:${port}`,
    count: async () => (await ask<{ count: number }>(child, "count")).count,
    arrivals: async () => (await ask<{ arrivals: [string, number][] }>(child, "arrivals")).arrivals,
    stop: () => {
      child.disconnect();
      return exited;
    },
  };
}

function ask<A>(child: ChildProcess, question: object | string): Promise<A> {
  return new Promise((resolve) => {
    child.once("message", (answer) => resolve(answer as A));
    child.send(question);
  });
}

async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MAX_MS;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not there within ${WAIT_MAX_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
