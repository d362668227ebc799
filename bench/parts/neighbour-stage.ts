// The local product with merchants that stay within their shares, an actor that will not, and a receiver for both. Its
// chain is behind a proxy that can answer like a broken provider.
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { developmentKeystore } from "@pay/chains";
import { startAnvil } from "@pay/embedded";
import { createProjectByCommand, type NewProject } from "@pay/standalone";
import { newId } from "@pay/values";
import { runLoad } from "../load.ts";
import { makeCreation } from "../requests.ts";
import { startLocalProduct } from "./local-product.ts";
import type { Undo } from "./with-undo.ts";

const MERCHANTS = 4;
const RATE_PER_S = 60;
const CONNECTIONS = 16;
const SLOW_MS = 2_500;
/** The last events of a round arrive within it. */
const ARRIVAL_MS = 3_000;

export interface Actor extends NewProject {
  ask(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

/** The time of what the merchants do, at the 99th percentile of a round. */
export type Measure = "requests" | "deliveries";

interface Request {
  /** Of the event. */
  id: string;
  at: number;
  /** When it was answered. */
  endedAt?: number;
}

type Received = Record<"hanging" | "slow", Request[]>;

export interface NeighbourStage {
  port: number;
  chainId: number;
  /** Addresses of receivers: one that never answers, one that is slow. */
  receivers: { hanging: string; slow: string };
  /** Their requests, oldest first. */
  received: Received;
  /** Whether the chain's provider answers every call with a long error. */
  provider: { isBroken: boolean };
  callChain(method: string, params: unknown[]): Promise<unknown>;
  createActor(): Promise<Actor>;
  measure: Record<Measure, (durationMs: number) => Promise<number>>;
}

export async function startNeighbourStage(folder: string, undo: Undo): Promise<NeighbourStage> {
  const anvil = await startAnvil({});
  undo.push(() => anvil.stop());
  const provider = { isBroken: false };
  const proxyUrl = await listen(undo, (request, response) =>
    forward(request, response, { provider, url: anvil.rpcUrl }),
  );
  const arrivals = new Map<string, number>();
  const received: Received = { hanging: [], slow: [] };
  const receiverUrl = await listen(undo, (request, response) =>
    receive(request, response, { arrivals, received }),
  );
  const { port } = await startLocalProduct(folder, undo, {
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: proxyUrl }),
    CHAINS_SIGNERS: JSON.stringify([await createSponsor(folder, anvil.rpcUrl)]),
    LOG_LEVEL: "info",
    TRUST_PROXY: "1",
  });
  async function createActor(): Promise<Actor> {
    const { PATH } = process.env;
    const made = await createProjectByCommand("Neighbour", { PATH, DATA_DIR: folder });
    return { ...made, ask: (...call) => ask(port, made.secretKey, call) };
  }

  const merchants: Actor[] = [];
  for (let at = 0; at < MERCHANTS; at++) {
    const merchant = await createActor();
    await merchant.ask("PUT", "/v1/projects/me", { callbackUrl: `${receiverUrl}/merchant` });
    merchants.push(merchant);
  }
  const chainId = Number(await callChain(anvil.rpcUrl, "eth_chainId", []));
  let sent = 0;
  function order(): string {
    const n = sent++;
    return makeCreation({ key: merchants[n % MERCHANTS]?.secretKey ?? "", chainId }, n);
  }

  return {
    port,
    chainId,
    receivers: { hanging: `${receiverUrl}/hanging`, slow: `${receiverUrl}/slow` },
    received,
    provider,
    callChain: (method, params) => callChain(anvil.rpcUrl, method, params),
    createActor,
    measure: {
      requests: (durationMs) => measureRequests(port, durationMs, order),
      deliveries: (durationMs) => measureDeliveries(merchants, { durationMs, chainId, arrivals }),
    },
  };
}

/** A wallet that pays the gas of payers who sign, in the file of a development chain's phrase. */
async function createSponsor(folder: string, rpcUrl: string): Promise<object> {
  const phrase = "test test test test test test test test test test test junk";
  const passphrase = randomBytes(32).toString("hex");
  const { address, keystore } = await developmentKeystore(phrase, { account: 9, passphrase });
  const keystoreFile = join(folder, "sponsor.json");
  const passphraseFile = join(folder, "sponsor.passphrase");
  await writeFile(keystoreFile, keystore, { mode: 0o600 });
  await writeFile(passphraseFile, passphrase, { mode: 0o600 });
  return {
    projectId: newId("proj"),
    mode: "test",
    chainId: Number(await callChain(rpcUrl, "eth_chainId", [])),
    address,
    keystoreFile,
    passphraseFile,
    limits: { native: { transactionMax: "1", dayMax: "1" } },
    refundsTo: "anyone",
    sponsor: { gasPerDay: "100", gasPerProjectDay: "10" },
  };
}

async function measureRequests(
  port: number,
  durationMs: number,
  request: () => string,
): Promise<number> {
  const load = { port, durationMs, connections: CONNECTIONS, ratePerS: RATE_PER_S };
  const { p99Ms, statuses } = await runLoad({ ...load, request });
  if ([...statuses.keys()].join() !== "201") {
    throw new Error(`a merchant within its share got ${JSON.stringify([...statuses])}`);
  }
  return p99Ms;
}

/** From the request that creates a payment to the arrival of its event. */
async function measureDeliveries(
  merchants: readonly Actor[],
  {
    durationMs,
    chainId,
    arrivals,
  }: { durationMs: number; chainId: number; arrivals: Map<string, number> },
): Promise<number> {
  const begun: [id: string, at: number][] = [];
  const end = performance.now() + durationMs;
  const pauseMs = (1_000 * MERCHANTS) / RATE_PER_S;
  await Promise.all(
    merchants.map(async (merchant) => {
      while (performance.now() < end) {
        const at = performance.now();
        const { id } = await merchant.ask("POST", "/v1/payments", orderOn(chainId));
        begun.push([id as string, at]);
        await wait(Math.max(0, at + pauseMs - performance.now()));
      }
    }),
  );
  await wait(ARRIVAL_MS);
  const times = begun.map(([id, at]) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - at);
  arrivals.clear();
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

export function orderOn(chainId: number) {
  const recipientAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  return { amount: "1.5", chainId, currency: "native", recipientAddress };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function ask(
  port: number,
  key: string,
  [method, path, body]: Parameters<Actor["ask"]>,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { "X-Secret-Key": key, "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? {} : JSON.parse(text);
}

async function callChain(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(30_000),
  });
  return ((await response.json()) as { result: unknown }).result;
}

async function listen(
  undo: Undo,
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}

/** Thirty thousand characters that look like a range of blocks. */
const LONG_ERROR = { code: -32_005, message: `block range ${"1,".repeat(15_000)}` };

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { provider, url }: { provider: { isBroken: boolean }; url: string },
): Promise<void> {
  const body = await readBody(request);
  response.setHeader("Content-Type", "application/json");
  if (provider.isBroken) {
    const calls = [JSON.parse(body)].flat() as { id: unknown }[];
    const answers = calls.map(({ id }) => ({ jsonrpc: "2.0", id, error: LONG_ERROR }));
    response.end(JSON.stringify(body.startsWith("[") ? answers : answers[0]));
    return;
  }
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body });
  response.end(await answer.text());
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { arrivals, received }: { arrivals: Map<string, number>; received: Received },
): Promise<void> {
  const at = performance.now();
  const body = await readBody(request);
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const seen: Request = { id: `${request.headers["x-service-event-id"]}`, at };
  if (pathname === "/hanging") {
    received.hanging.push(seen);
    return;
  }
  if (pathname === "/slow") {
    received.slow.push(seen);
    await wait(SLOW_MS);
    seen.endedAt = performance.now();
  } else {
    arrivals.set((JSON.parse(body) as { id: string }).id, at);
  }
  response.end();
}
