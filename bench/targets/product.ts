// The product's own dispatcher: real Kafka before it, its own tables behind it.
import { join } from "node:path";
import { findMigrationFiles, migrate } from "@pay/database";
import { startKafka } from "@pay/embedded";
import { type Bus, createKafkaBus, outboxRow } from "@pay/events";
import { createTestRuntime } from "@pay/process";
import { buildEnvironment } from "@pay/standalone";
import pg from "pg";
import { type Part, startPart, type Usage } from "../parts/child.ts";
import { untilTrue } from "../parts/until-true.ts";
import { fillHistory } from "../parts/webhook-history.ts";
import type {
  Stages,
  TargetOptions,
  WebhookEvent,
  WebhookTarget,
} from "../parts/webhook-target.ts";

const SERVICE = join(import.meta.dirname, "..", "..", "services", "webhooks");
const PROCESS = join(import.meta.dirname, "product-process.ts");
const ENDPOINTS_AT_ONCE = 500;

export interface ProductParts {
  bus: Bus;
  pool: pg.Pool;
  createEndpoints: WebhookTarget["createEndpoints"];
  publish: WebhookTarget["publish"];
  /** One more dispatcher on the same bus and tables. */
  startDispatcher(): Promise<Part>;
}

/** Everything but a dispatcher. */
export async function startProductParts(options: TargetOptions): Promise<ProductParts> {
  const { ca, folder, postgres, undo } = options;
  const kafka = await startKafka({ dataDir: join(folder, "kafka") });
  undo.push(() => kafka.kill());
  const runtime = createTestRuntime("bench");
  undo.push(() => runtime.stop());
  const url = await postgres.provide("webhooks");
  await migrate({ url, ...findMigrationFiles(SERVICE), log: runtime.log });
  const { brokers } = kafka;
  const bus = await createKafkaBus({ brokers, clientId: "bench", runtime });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  undo.push(() => pool.end());
  return {
    bus,
    pool,
    startDispatcher: async () => {
      const dispatcher = startPart(PROCESS, buildEnvironment("webhooks"));
      undo.push(dispatcher.stop);
      await dispatcher.ask({ url, brokers, ca });
      return dispatcher;
    },
    createEndpoints: async (endpoints) => {
      for (let at = 0; at < endpoints.length; at += ENDPOINTS_AT_ONCE) {
        await createSome({ bus, pool }, endpoints.slice(at, at + ENDPOINTS_AT_ONCE));
      }
    },
    publish: (events) => bus.publish(events.map(toEvent)),
  };
}

export async function startTarget(options: TargetOptions): Promise<WebhookTarget> {
  const { pool, createEndpoints, publish, startDispatcher } = await startProductParts(options);
  const dispatcher = await startDispatcher();
  return {
    createEndpoints,
    publish,
    usage: () => dispatcher.ask<Usage>("usage"),
    stages: (eventIds) => readStages(pool, eventIds),
    fillHistory: (rows) => fillHistory(pool, options.postgres.url(), rows),
  };
}

async function readStages(
  pool: pg.Pool,
  eventIds: readonly string[],
): Promise<Map<string, Stages>> {
  const stages = new Map<string, Stages>();
  await untilTrue(async () => {
    const { rows } = await pool.query(
      `select events.id, extract(epoch from received_at)::float8 * 1000 as "takenAt",
        extract(epoch from started_at)::float8 * 1000 as "startedAt"
      from events join deliveries on event_id = events.id join attempts on delivery_id = deliveries.id and number = 1
      where events.id = any($1)`,
      [eventIds],
    );
    for (const { id, takenAt, startedAt } of rows) stages.set(id, { takenAt, startedAt });
    // The last results are written a moment after their requests.
    return stages.size >= eventIds.length;
  });
  return stages;
}

async function createSome(
  { bus, pool }: { bus: Bus; pool: pg.Pool },
  endpoints: readonly { projectId: string; url: string }[],
): Promise<void> {
  const ids = endpoints.map(({ projectId }) => projectId);
  const records = endpoints.map(({ projectId: id, url }) =>
    outboxRow({
      type: "project.created",
      projectId: id,
      resourceId: id,
      resource: { case: "project", value: { id, name: "Bench", callbackUrl: url, version: 1 } },
    }),
  );
  // A new topic may have no leader yet. What is published again and again would still be handled when the figures are
  // taken.
  await untilTrue(() =>
    bus.publish(records).then(
      () => true,
      () => false,
    ),
  );
  await untilTrue(async () => {
    const { rowCount } = await pool.query(
      "select from endpoints where project_id = any($1) and url is not null",
      [ids],
    );
    return rowCount === ids.length;
  });
}

function toEvent({ id, projectId, paymentId }: WebhookEvent) {
  const seconds = BigInt(Math.floor(Date.now() / 1_000));
  return outboxRow({
    id,
    type: "payment.confirmed",
    projectId,
    mode: 1,
    resourceId: paymentId,
    sequence: 3,
    occurredAt: { seconds, nanos: 0 },
    resource: {
      case: "payment",
      value: {
        id: paymentId,
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
