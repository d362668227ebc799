// What one payment leaves behind in the whole product: created, paid, proven and delivered. Bytes of each database, of
// the topics, and of the log of the server; of the log also with every page cold, as in a database that does not fit
// into memory. `npm run bench -- capacity` takes some minutes.
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { callNode, type Postgres, sendFrom, startKafka, startPostgres } from "@pay/embedded";
import { createLog } from "@pay/process";
import {
  createProjectByCommand,
  openDataFolder,
  SERVICE_NAMES,
  startProduct,
} from "@pay/standalone";
import pg from "pg";
import { figure } from "./figures.ts";
import { untilTrue } from "./parts/until-true.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";

const PAYMENTS = 2_000;
const AT_ONCE = 16;
const COLD_PAYMENTS = 20;
const QUIET_MS = 20_000;
const WARM_UP = 100;
/** Between two looks at a payment. */
const LOOK_MS = 100;
const VALUE = 10n ** 15n;
const SIZE = `select sum(pg_total_relation_size(oid)) as n from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace`;
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

interface Stage {
  pay(number: number): Promise<void>;
  /** Of the server's log. */
  readWal(): Promise<number>;
  readDatabases(): Promise<Map<string, number>>;
  readTopics(): Promise<number>;
  checkpoint(): Promise<void>;
  /** Ends when nothing waits to be published or delivered. */
  untilQuiet(): Promise<void>;
}

export function run(): Promise<void> {
  return withUndo(measure);
}

async function measure(undo: Undo): Promise<void> {
  const stage = await openStage(undo);
  await payMany(stage, 0, WARM_UP);
  await stage.checkpoint();
  const before = await look(stage);
  await payMany(stage, WARM_UP, PAYMENTS);
  const busyMs = performance.now() - before.atMs;
  const after = await look(stage);
  await wait(QUIET_MS);
  const idlePerMs = ((await stage.readWal()) - after.wal) / QUIET_MS;
  for (const [name, bytes] of after.databases) {
    perPayment(`${name}_disk`, bytes - (before.databases.get(name) ?? 0), PAYMENTS);
  }
  perPayment("topics", after.topics - before.topics, PAYMENTS);
  perPayment("wal", after.wal - before.wal - idlePerMs * busyMs, PAYMENTS);

  const coldFrom = await stage.readWal();
  const coldAt = performance.now();
  for (let number = 0; number < COLD_PAYMENTS; number++) {
    await stage.checkpoint();
    await stage.pay(WARM_UP + PAYMENTS + number);
    await stage.untilQuiet();
  }
  const idle = idlePerMs * (performance.now() - coldAt);
  perPayment("wal_cold", (await stage.readWal()) - coldFrom - idle, COLD_PAYMENTS);
}

function perPayment(name: string, bytes: number, payments: number): void {
  figure(`capacity.${name}`, bytes / payments, "bytes/payment");
}

async function look(stage: Stage) {
  return {
    atMs: performance.now(),
    wal: await stage.readWal(),
    databases: await stage.readDatabases(),
    topics: await stage.readTopics(),
  };
}

async function payMany(stage: Stage, from: number, count: number): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < from + count) await stage.pay(next++);
    }),
  );
  await stage.untilQuiet();
}

async function openStage(undo: Undo): Promise<Stage> {
  const path = await mkdtemp(join(tmpdir(), "bench-capacity-"));
  undo.push(() => rm(path, { recursive: true, force: true }));
  const settings = { wal_compression: "pglz", max_wal_size: "16GB", checkpoint_timeout: "1h" };
  const postgres = await startPostgres({ dataDir: join(path, "own-postgres"), settings });
  undo.push(() => postgres.stop());
  const kafkaFolder = join(path, "own-kafka");
  const kafka = await startKafka({ dataDir: kafkaFolder });
  undo.push(() => kafka.stop());
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  undo.push(() => new Promise((resolve) => receiver.close(resolve)));

  const given: Record<string, string | undefined> = {
    PATH: process.env.PATH,
    PORT: "0",
    WEBHOOKS_ALLOW_HTTP: "1",
    KAFKA_BROKERS: kafka.brokers.join(","),
    RATE_LIMITS: JSON.stringify({
      live: { perSecond: 0 },
      routePerSecond: 0,
      addressPerSecond: 0,
      publicPerSecond: 0,
    }),
  };
  for (const name of SERVICE_NAMES) {
    given[`${name.toUpperCase()}_DATABASE_URL`] = await postgres.provide(name);
  }
  const { parts, environment } = await startProduct({
    folder: openDataFolder(path),
    given,
    log: createLog("bench", "silent"),
    say: () => {},
    onStop: (_, stop) => undo.push(stop),
  });
  const { secretKey } = await createProjectByCommand("Capacity", environment);
  async function call(method: string, route: string, body?: object) {
    const response = await fetch(`${environment.PUBLIC_URL}${route}`, {
      method,
      headers: { "X-Secret-Key": secretKey, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${method} ${route}: ${response.status} ${answer.message}`);
    return answer;
  }

  const { port } = receiver.address() as AddressInfo;
  await call("PUT", "/v1/projects/me", { callbackUrl: `http://127.0.0.1:${port}/` });
  const [payer = ""] = (await callNode(parts.rpcUrl, "eth_accounts")) as string[];
  const read = await connectAll(postgres, undo);
  return {
    pay: async (number) => {
      // Amounts differ, so that a transfer belongs to one payment.
      const value = VALUE + BigInt(number) * 10n ** 9n;
      const { id } = await call("POST", "/v1/payments", {
        amount: `0.00${value}`,
        chainId: parts.chainId,
        currency: "native",
        recipientAddress: RECIPIENT,
        orderId: `order-${number}`,
      });
      const transaction = { from: payer, to: RECIPIENT, value: `0x${value.toString(16)}` };
      const txHash = await sendFrom(parts.rpcUrl, transaction);
      await call("POST", `/v1/payments/${id}/transaction`, { txHash });
      await untilTrue(async () => {
        const { status } = await call("GET", `/v1/payments/${id}`);
        if (status !== "confirmed") await wait(LOOK_MS);
        return status === "confirmed";
      });
    },
    readWal: () => read("gateway", "select pg_current_wal_lsn() - '0/0'::pg_lsn as n"),
    readDatabases: async () => {
      const sizes = new Map<string, number>();
      for (const name of SERVICE_NAMES) sizes.set(name, await read(name, SIZE));
      return sizes;
    },
    readTopics: () => sumSegments(join(kafkaFolder, "log")),
    checkpoint: async () => void (await read("gateway", "checkpoint")),
    untilQuiet: () =>
      untilTrue(async () => {
        for (const name of SERVICE_NAMES) {
          if (name === "webhooks") continue;
          if ((await read(name, "select count(*) as n from outbox")) > 0) return false;
        }
        const pending = "select count(*) as n from deliveries where state = 'pending'";
        return (await read("webhooks", pending)) === 0;
      }),
  };
}

type Read = (name: string, text: string) => Promise<number>;

/** To each database; a statement's first number. */
async function connectAll({ url }: Postgres, undo: Undo): Promise<Read> {
  const clients = new Map<string, pg.Client>();
  for (const name of SERVICE_NAMES) {
    const client = new pg.Client(url(name));
    await client.connect();
    undo.push(() => client.end());
    clients.set(name, client);
  }
  return async (name, text) => {
    const found = await clients.get(name)?.query<{ n: string }>(text);
    return Number(found?.rows[0]?.n);
  };
}

/** Of events; the broker's own topics begin with two underscores. */
async function sumSegments(folder: string): Promise<number> {
  let bytes = 0;
  for (const topic of await readdir(folder, { withFileTypes: true })) {
    if (!topic.isDirectory() || topic.name.startsWith("__")) continue;
    for (const name of await readdir(join(folder, topic.name))) {
      if (name.endsWith(".log")) bytes += (await stat(join(folder, topic.name, name))).size;
    }
  }
  return bytes;
}
