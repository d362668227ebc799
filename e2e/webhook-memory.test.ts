// What a process of webhooks holds while all receivers hang and large events come in. Memory is bounded in bytes, so
// neither the number of events nor a busy machine changes the result. It is the program of the image, with the image's
// sizes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "@jest/globals";
import { leasePort } from "@pay/embedded";
import { type Bus, createKafkaBus, outboxRow } from "@pay/events";
import { createTestRuntime, type Lifecycle } from "@pay/process";
import { type Child, startChild } from "@pay/standalone";
import {
  createAuthority,
  describeWithKafka,
  type Receiver,
  startReceiver,
  type TestDatabase,
  testDatabase,
  testKafka,
  testUnless,
  until,
} from "@pay/testing";
import { newId } from "@pay/values";
import { fetchMetrics } from "./harness/standalone.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const EVENTS = 2_400;
const BODY_BYTES = 64_000;
const ENDPOINTS = 400;
const PUBLISH_AT_ONCE = 40;
const HELD_MIN_BYTES = 16 * 1024 * 1024;
const HELD_MAX_BYTES = 24 * 1024 * 1024;
const RESIDENT_MAX_MB = 300;
const TAKEN_IN_WITHIN_MS = 600_000;
const BUNDLE_TIMEOUT_MS = 120_000;
/** So many large events take long where the machine has much else to do. */
const LIMIT_MS = 900_000;

const MISSING = process.platform === "linux" ? undefined : "no Linux";

describeWithKafka("the memory of webhooks", () => {
  const folder = mkdtempSync(join(tmpdir(), "pay-memory-"));
  let life: Lifecycle;
  let bus: Bus;
  let db: TestDatabase;
  let receiver: Receiver;
  let webhooks: Child;

  beforeAll(async () => {
    const authority = createAuthority();
    receiver = await startReceiver({ authority });
    receiver.respondWith("hang");
    db = await testDatabase("services/webhooks");
    const { brokers, topicPrefix } = await testKafka();
    life = createTestRuntime("e2e");
    bus = await createKafkaBus({ brokers, topicPrefix, clientId: "e2e", runtime: life });
    const trusted = join(folder, "ca.pem");
    writeFileSync(trusted, authority.ca);
    webhooks = await startChild(
      "webhooks",
      {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        NODE_EXTRA_CA_CERTS: trusted,
        LOG_LEVEL: "warn",
        WEBHOOKS_DATABASE_URL: db.url,
        WEBHOOKS_GRPC_PORT: `${await leasePort()}`,
        WEBHOOKS_SECRET_KEYS: `1:${Buffer.alloc(32, 7).toString("base64")}`,
        WEBHOOKS_ALLOW_HOSTS: "localhost",
        GATEWAY_CALLER_TOKENS: "a-caller-token-of-32-characters-or-more",
        KAFKA_BROKERS: brokers.join(","),
        KAFKA_TOPICS: JSON.stringify({ prefix: topicPrefix }),
      },
      await leasePort(),
      { main: bundle() },
    );
  });
  afterAll(async () => {
    await webhooks?.stop();
    await life?.stop();
    await receiver?.stop();
    await db?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  function bundle(): string {
    const built = join(folder, "dist");
    execFileSync(process.execPath, [join(ROOT, "tools/bundle.mjs"), built], {
      cwd: join(ROOT, "services/webhooks"),
      timeout: BUNDLE_TIMEOUT_MS,
    });
    return join(built, "service/main.js");
  }

  async function count(table: "events" | "endpoints where url is not null"): Promise<number> {
    const { rows } = await db.pool.query(`select count(*)::int as count from ${table}`);
    return rows[0].count;
  }

  async function createEndpoints(projects: readonly string[]): Promise<void> {
    const created = projects.map((id) =>
      outboxRow({
        type: "project.created",
        projectId: id,
        resourceId: id,
        resource: {
          case: "project",
          value: { id, name: "Shop", callbackUrl: receiver.url, version: 1 },
        },
      }),
    );
    // A new topic may have no leader yet.
    await until(() =>
      bus.publish(created).then(
        () => true,
        () => false,
      ),
    );
    await until(async () => (await count("endpoints where url is not null")) === projects.length);
  }

  function largeEvent(projectId: string) {
    const id = newId("pay");
    return outboxRow({
      type: "payment.confirmed",
      projectId,
      mode: 1,
      resourceId: id,
      sequence: 1,
      occurredAt: { seconds: BigInt(Math.floor(Date.now() / 1_000)), nanos: 0 },
      resource: {
        case: "payment",
        value: { id, projectId, status: "confirmed", orderId: "o".repeat(BODY_BYTES) },
      },
    });
  }

  async function gauge(name: string): Promise<number> {
    const metrics = await fetchMetrics(webhooks.adminUrl);
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
  }

  /** The most that the process ever had in memory. */
  function residentMb(): number {
    const status = readFileSync(`/proc/${webhooks.pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1_024;
  }

  testUnless(
    MISSING,
    "stays within 300 MB while 400 receivers hang and 2,400 events of 64 kB come in",
    async () => {
      const projects = Array.from({ length: ENDPOINTS }, () => newId("proj"));
      await createEndpoints(projects);
      for (let n = 0; n < EVENTS; n += PUBLISH_AT_ONCE) {
        const list = Array.from({ length: PUBLISH_AT_ONCE }, (_, at) =>
          largeEvent(projects[(n + at) % ENDPOINTS] ?? ""),
        );
        await bus.publish(list);
      }
      await until(async () => (await count("events")) === EVENTS, {
        timeoutMs: TAKEN_IN_WITHIN_MS,
      });
      // It has as much in hand as it may: only that makes the bound below mean something.
      await until(async () => (await gauge("webhook_in_flight")) >= ENDPOINTS / 2);
      const held = await gauge("webhook_buffered_bytes");
      expect(held).toBeGreaterThan(HELD_MIN_BYTES);
      expect(held).toBeLessThanOrEqual(HELD_MAX_BYTES);
      expect(residentMb()).toBeLessThan(RESIDENT_MAX_MB);
    },
    LIMIT_MS,
  );
});
