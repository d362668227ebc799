// The gateway as its tests use it: the real app on a real port, real PostgreSQL. A service that a test does not start
// has an address where no process listens.
import { request as httpRequest } from "node:http";
import { connect as connectSocket } from "node:net";
import { fromBinary } from "@bufbuild/protobuf";
import { createLocalBus, TOPICS } from "@pay/events";
import { type Clock, createTestRuntime, type Identity, type Log, readConfig } from "@pay/process";
import { type Event, EventSchema } from "@pay/proto";
import {
  limitRates,
  PATIENCE_MS,
  PATIENT_GATEWAY,
  type TestDatabase,
  testDatabase,
} from "@pay/testing";
import { newId } from "@pay/values";
import pg from "pg";
import { type Bounds, gatewayConfig } from "../src/config.ts";
import type { KeyMode, KeyType } from "../src/keys/caller.ts";
import { type NewKey, newKey } from "../src/keys/new-key.ts";
import { projectEvent } from "../src/projects/events.ts";
import { insertProject } from "../src/projects/storage.ts";
import { startGateway } from "../src/start.ts";

const NO_SERVICE = "127.0.0.1:1";
const PEPPER = { version: 1, secret: "pepper-of-the-tests-0123456789-abcdef" };

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect, and fail where they are missing
  body: any;
}

export interface Ask {
  headers?: Record<string, string | string[]>;
  /** Sent as JSON, unless it is text or bytes already. */
  body?: unknown;
}

export interface TestProject {
  id: string;
  secret: string;
  publishable: string;
  testSecret: string;
  testPublishable: string;
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

export async function startTestGateway(
  options: {
    env?: Record<string, string>;
    bounds?: Partial<Bounds>;
    clock?: Clock;
    log?: Log;
    identity?: Identity;
    databaseUrl?: string;
  } = {},
) {
  const database = await openTestDatabase(options.databaseUrl);
  const { env, bounds = {}, log, databaseUrl: _, ...time } = options;
  const life = { ...createTestRuntime("gateway", time), ...(log && { log }) };
  const bus = createLocalBus();
  const events: Event[] = [];
  await bus.subscribe({
    group: "reader",
    topics: [TOPICS.projects],
    handle: async (records) => {
      events.push(...records.map(({ payload }) => fromBinary(EventSchema, payload)));
    },
  });
  const config = readConfig(gatewayConfig, {
    GATEWAY_DATABASE_URL: database.url,
    GATEWAY_KEY_PEPPER: PEPPER.secret,
    GATEWAY_HOST: "127.0.0.1",
    PORT: "0",
    PUBLIC_URL: "http://127.0.0.1:8080",
    PAYMENTS_ADDRESS: NO_SERVICE,
    CUSTOMERS_ADDRESS: NO_SERVICE,
    REFUNDS_ADDRESS: NO_SERVICE,
    CHAINS_ADDRESS: NO_SERVICE,
    WEBHOOKS_ADDRESS: NO_SERVICE,
    ...limitRates(),
    ...PATIENT_GATEWAY,
    ...env,
  });
  async function stop() {
    await life.stop();
    await database.drop();
  }

  const { address } = await startGateway(config, life, { bus, bounds }).catch(
    async (error: unknown) => {
      await stop();
      throw error;
    },
  );
  const [host = "", port = ""] = address.split(":");

  async function addKey(
    projectId: string,
    key: { type: KeyType; mode?: KeyMode; scopes?: string[] },
  ): Promise<NewKey> {
    const made = newKey({ mode: "live", ...key }, PEPPER);
    await database.pool.query(
      `insert into api_keys (id, project_id, type, mode, scopes, digest, prefix, last4, pepper_version, created_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, 1, 'operator')`,
      [made.id, projectId, made.type, made.mode, made.scopes, made.digest, made.prefix, made.last4],
    );
    return made;
  }

  async function addProject(): Promise<TestProject> {
    const keys = (["live", "test"] as const).flatMap((mode) => [
      newKey({ type: "secret", mode }, PEPPER),
      newKey({ type: "publishable", mode }, PEPPER),
    ]);
    const now = new Date();
    const project = { ...emptyProject, id: newId("proj"), created_at: now, updated_at: now };
    const created = { ...project, payout_wallets: [], screening: null };
    const event = projectEvent("project.created", created, "request-of-the-tests");
    await insertProject(database.pool, project, keys, event);
    const [secret = "", publishable = "", testSecret = "", testPublishable = ""] = keys.map(
      ({ text }) => text,
    );
    return { id: project.id, secret, publishable, testSecret, testPublishable };
  }

  return {
    address,
    databaseUrl: database.url,
    pool: database.pool,
    life,
    events,
    bus,
    addKey,
    addProject,
    ask: (method: string, path: string, asked: Ask = {}) =>
      ask({ host, port }, method, path, asked),
    raw: (text: string, react?: React) => raw({ host, port }, text, react),
    stop,
  };
}

/** A database of the run, or one that the test stops and starts. */
async function openTestDatabase(
  url: string | undefined,
): Promise<Pick<TestDatabase, "url" | "pool" | "drop">> {
  if (url === undefined) return testDatabase("services/gateway");
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on("error", () => {});
  return { url, pool, drop: () => pool.end() };
}

const emptyProject = {
  name: "Shop",
  variant: null,
  callback_url: null,
  test_callback_url: null,
  payment_lifetime_minutes: 30,
  version: 1,
  api_version: "2026-11-21",
};

interface Address {
  host: string;
  port: string;
}

/** node:http rather than fetch, because tests send what fetch would refuse to. */
function ask(to: Address, method: string, path: string, { headers = {}, body }: Ask) {
  return new Promise<Answer>((resolve, reject) => {
    const plain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    const bytes = plain ? body : JSON.stringify(body);
    const type = plain ? {} : { "content-type": "application/json" };
    const request = httpRequest(
      { ...to, method, path, headers: { ...type, ...headers }, timeout: PATIENCE_MS },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.once("error", reject);
        response.on("end", () => resolve(toAnswer(response.statusCode, response.headers, chunks)));
      },
    );
    request.once("timeout", () => request.destroy(new Error("no answer in time")));
    request.once("error", reject);
    request.end(bytes);
  });
}

function toAnswer(
  status: number | undefined,
  headers: Answer["headers"],
  chunks: Buffer[],
): Answer {
  const text = Buffer.concat(chunks).toString();
  const json = String(headers["content-type"]).startsWith("application/json;");
  return { status: status ?? 0, headers, text, body: json && text ? JSON.parse(text) : undefined };
}

/** What to send next, once, after what was received so far. */
type React = (heard: string) => string | Promise<string> | undefined;

/** Bytes as they are; answers the last answer on the connection, when it is closed. */
function raw(to: Address, text: string, react: React = () => undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connectSocket({ host: to.host, port: Number(to.port) }, () =>
      socket.write(text),
    );
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("the connection stays")));
    let reacted = false;
    socket.on("data", (chunk) => {
      chunks.push(chunk);
      const next = reacted ? undefined : react(Buffer.concat(chunks).toString());
      if (next === undefined) return;
      reacted = true;
      Promise.resolve(next).then((more) => socket.write(more), reject);
    });
    socket.once("error", reject);
    socket.once("close", () => {
      const heard = Buffer.concat(chunks).toString().replace("HTTP/1.1 100 Continue\r\n\r\n", "");
      const [head = "", ...rest] = heard.split("\r\n\r\n");
      const [line = "", ...lines] = head.split("\r\n");
      const headers = Object.fromEntries(
        lines.map((entry) => [
          entry.slice(0, entry.indexOf(":")).toLowerCase(),
          entry.slice(entry.indexOf(":") + 2),
        ]),
      );
      resolve(toAnswer(Number(line.split(" ")[1]), headers, [Buffer.from(rest.join("\r\n\r\n"))]));
    });
  });
}

/** The body of every refusal. */
export function refusal(statusCode: number, error: string, message: unknown) {
  return {
    statusCode,
    error,
    message,
  };
}
