// The service under test with its real neighbours: Postgres, the bus, and a merchant's receiver.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type Bus, createLocalBus, type NewEvent, outboxRow } from "@pay/events";
import { type Clock, createTestRuntime, type Lifecycle, type Log, readConfig } from "@pay/process";
import { type Event, type EventSchema, Mode, WebhooksService } from "@pay/proto";
import { type Client, connect } from "@pay/rpc";
import { createBox, parseSealingKeys, type SealingKeys } from "@pay/sealing";
import { createAuthority, patient, testDatabase, until } from "@pay/testing";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { createWebhookSecret } from "../src/domain/signature.ts";
import { startWebhooks, type WebhooksNeeds, webhooksConfig } from "../src/index.ts";

/** One authority for all receivers of a file, because the service reads whom to trust when it starts. */
export const authority = createAuthority();

const SEALING_KEYS = `1:${Buffer.alloc(32, 1).toString("base64")}`;

export interface Running {
  client: Client<typeof WebhooksService>;
  life: Lifecycle;
  bus: Bus;
  stop(): Promise<void>;
}

export interface TestWebhooks extends Running {
  url: string;
  pool: Pool;
  /** Another process of the service on the same database; with a bus of its own it hears nothing. */
  startAnother(options?: StartOptions): Promise<Running>;
}

export interface StartOptions {
  clock?: Clock;
  /** Where the service writes its lines; nowhere when absent. */
  log?: Log;
  timeline?: NonNullable<WebhooksNeeds["timeline"]>;
  environment?: Record<string, string>;
  dnsServers?: string[];
  /** Made for the process it is in, and stopped with it; a bus of its own in memory when absent. */
  bus?: (life: Lifecycle) => Promise<Bus>;
}

type TestDatabasePlace = { url: string; pool: Pool; drop(): Promise<void> };

async function start(url: string, options: StartOptions): Promise<Running> {
  const { clock, log, timeline, environment, dnsServers } = options;
  const life = createTestRuntime("webhooks", { ...(clock && { clock }), ...(log && { log }) });
  const bus = options.bus === undefined ? createLocalBus() : await options.bus(life);
  const config = readConfig(webhooksConfig, {
    WEBHOOKS_DATABASE_URL: url,
    WEBHOOKS_GRPC_PORT: "0",
    WEBHOOKS_SECRET_KEYS: SEALING_KEYS,
    WEBHOOKS_ALLOW_HOSTS: "localhost",
    ...environment,
  });
  const { address } = await startWebhooks(config, life, {
    bus,
    egress: { ca: authority.ca, ...(dnsServers === undefined ? {} : { dnsServers }) },
    ...(timeline === undefined ? {} : { timeline }),
  });
  const client = patient(connect(WebhooksService, address, life));
  return { client, life, bus, stop: async () => void (await life.stop()) };
}

export async function startTestWebhooks(
  options: StartOptions = {},
  database: TestDatabasePlace | undefined = undefined,
): Promise<TestWebhooks> {
  const { url, pool, drop } = database ?? (await testDatabase("services/webhooks"));
  const running = await start(url, options);
  const others: Running[] = [];
  await until(async () => (await pool.query("select from workers")).rowCount === 1);
  return {
    ...running,
    url,
    pool,
    startAnother: async (more = {}) => {
      const other = await start(url, more);
      others.push(other);
      return other;
    },
    stop: async () => {
      for (const other of others) await other.stop();
      await running.stop();
      await drop();
    },
  };
}

type EventInit = Exclude<MessageInitShape<typeof EventSchema>, Event>;

/** As the relay does: again until the bus has them. A worker whose heartbeat is late takes none for a while. */
export async function publish(bus: Bus, ...events: EventInit[]): Promise<string[]> {
  const identified = events.map((event) => ({ ...event, id: event.id || newId("evt") }));
  return until(() => offer(bus, ...identified).catch(() => undefined), {
    what: "a bus that takes the events",
  });
}

/** Once: rejects where the bus does not take them. */
export async function offer(bus: Bus, ...events: EventInit[]): Promise<string[]> {
  const rows = events.map((event) => outboxRow(event as NewEvent));
  await bus.publish(rows);
  return rows.map(({ eventId }) => eventId);
}

/** An event of a payment of this project. */
export function paymentEvent(
  projectId: string,
  change: { type?: string; sequence?: number; mode?: Mode; payment?: object; id?: string } = {},
): EventInit {
  const { type = "payment.confirmed", sequence = 1, mode = Mode.LIVE, payment = {} } = change;
  const id = change.id ?? newId("pay");
  return {
    type,
    projectId,
    mode,
    resourceId: id,
    sequence,
    occurredAt: timestampFromDate(new Date("2026-03-01T12:00:00.123Z")),
    requestId: "request-1",
    resource: {
      case: "payment",
      value: {
        id,
        projectId,
        mode,
        status: type.split(".")[1] ?? "",
        amount: "1.5",
        baseAmount: "1500000",
        decimals: 6,
        currency: "native",
        chainId: 1n,
        ...payment,
      },
    },
  };
}

export function projectEvent(
  projectId: string,
  callbackUrl: string | undefined,
  version = 1,
): EventInit {
  return {
    type: version === 1 ? "project.created" : "project.updated",
    projectId,
    mode: Mode.LIVE,
    resourceId: projectId,
    sequence: version,
    occurredAt: timestampFromDate(new Date()),
    resource: {
      case: "project",
      value: { id: projectId, name: "Shop", version, ...(callbackUrl ? { callbackUrl } : {}) },
    },
  };
}

export interface Merchant {
  projectId: string;
  endpointId: string;
  secret: string;
}

/** A project whose default endpoint points at the address. */
export async function aMerchant(webhooks: TestWebhooks, callbackUrl: string): Promise<Merchant> {
  const projectId = newId("proj");
  const { endpointId, secret } = await webhooks.client.createDefaultEndpoint({ projectId });
  await publish(webhooks.bus, projectEvent(projectId, callbackUrl));
  return { projectId, endpointId, secret };
}

/** One more endpoint for a project, beside its default one. */
export async function addEndpoint(
  { pool }: { pool: Pool },
  projectId: string,
  url: string,
): Promise<{ endpointId: string; secret: string }> {
  const endpointId = newId("we");
  const secret = createWebhookSecret();
  const box = createBox(parseSealingKeys(SEALING_KEYS) as SealingKeys);
  await pool.query("insert into endpoints (id, project_id, mode, url) values ($1, $2, 1, $3)", [
    endpointId,
    projectId,
    url,
  ]);
  await pool.query(
    "insert into secrets (project_id, endpoint_id, seq, sealed) values ($1, $2, 1, $3)",
    [projectId, endpointId, box.seal(secret, endpointId)],
  );
  return { endpointId, secret };
}

export interface StoredDelivery {
  id: string;
  event_id: string;
  endpoint_id: string;
  state: string;
  attempts: number;
  owner: number | null;
}

export async function storedDeliveries(
  { pool }: { pool: Pool },
  eventId: string,
): Promise<StoredDelivery[]> {
  const { rows } = await pool.query<StoredDelivery>(
    "select id, event_id, endpoint_id, state, attempts, owner from deliveries where event_id = $1",
    [eventId],
  );
  return rows;
}

/** The one delivery of an event, once it has ended. */
export function ended(webhooks: { pool: Pool }, eventId: string) {
  return until(
    async () => {
      const [delivery] = await storedDeliveries(webhooks, eventId);
      return delivery?.state === "pending" ? undefined : delivery;
    },
    { what: `the end of the delivery of ${eventId}` },
  );
}
