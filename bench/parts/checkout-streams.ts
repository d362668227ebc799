// What pages that follow their payment cost the gateway: memory of a stream, the time until a change arrives, and what
// creations notice of them. The streams are of payments of their own, each with its first status.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createProjectByCommand } from "@pay/standalone";
import type { BenchProduct } from "../bench-product.ts";
import { figure, median } from "../figures.ts";
import { runLoad } from "../load.ts";
import { makeCreation } from "../requests.ts";
import { type Part, startPart } from "./child.ts";
import { type Followed, openStatusStreams } from "./status-streams.ts";
import { untilTrue } from "./until-true.ts";
import type { Undo } from "./with-undo.ts";

/** The share of one project. */
const STREAMS_PER_PROJECT = 1_000;
const WARM_STREAMS = 1_000;
const WARM_ROUNDS = 10;
const BESIDE_STREAMS = 5_000;
const PUSHES = 1_000;
const PUSHES_PER_S = 50;
const CREATE_ROUNDS = 5;
const CREATE_RATE_PER_S = 100;
const CREATE_MS = 10_000;
/** The work of opening and closing thousands of streams is over. */
const SETTLED_MS = 3_000;
const CONNECTIONS = 16;
/** A heartbeat reaches every stream within it. */
const QUIET_MS = 16_000;

export interface StreamsProduct extends BenchProduct {
  /** Where the gateway's debugger listens. */
  inspectPort: number;
}

export async function measureStreams(
  product: StreamsProduct,
  count: number,
  undo: Undo,
): Promise<void> {
  const keys = await createProjects(product, count / STREAMS_PER_PROJECT);
  const payments = await createPayments(product, count, keys);
  const idle = startPart(join(import.meta.dirname, "idle-streams.ts"));
  undo.push(idle.stop);
  const own = { product, idle, payments };
  // First, in a process that has not grown yet.
  await measureMemory(own);
  await measureCreations(own);
  await measurePushes(own);
}

interface Stage {
  product: StreamsProduct;
  idle: Part;
  payments: readonly Followed[];
}

async function createProjects({ environment }: BenchProduct, count: number): Promise<string[]> {
  const keys: string[] = [];
  while (keys.length < count) {
    keys.push((await createProjectByCommand("Bench", environment)).secretKey);
  }
  return keys;
}

/** The payments of each project in turn. */
export async function createPayments(
  { port, key, chainId }: BenchProduct,
  count: number,
  keys = [key],
): Promise<Followed[]> {
  const made: Followed[] = [];
  let next = 0;
  async function createSome(): Promise<void> {
    while (next < count) {
      const n = next++;
      const answer = await fetch(`http://127.0.0.1:${port}/v1/payments`, {
        method: "POST",
        headers: {
          "X-Secret-Key": keys[n % keys.length] ?? key,
          "Content-Type": "application/json",
        },
        body: JSON.stringify({
          amount: "1.5",
          chainId,
          currency: "native",
          description: `order ${n}`,
          // An address of its own: nothing else can pay it.
          recipientAddress: `0x${(n + 1).toString(16).padStart(40, "0")}`,
        }),
      });
      if (answer.status !== 201) throw new Error(`no payment: ${answer.status}`);
      made.push((await answer.json()) as Followed);
    }
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, createSome));
  return made;
}

/** Round by round without streams and with them, so that a slow period of the machine affects both sides of a round. */
async function measureCreations({ product, idle, payments }: Stage): Promise<void> {
  const { port } = product;
  const ratios: number[] = [];
  const beside: number[] = [];
  let sent = 0;
  async function p99(durationMs = CREATE_MS): Promise<number> {
    await pause(SETTLED_MS);
    const load = { port, connections: CONNECTIONS, durationMs, ratePerS: CREATE_RATE_PER_S };
    const result = await runLoad({ ...load, request: () => makeCreation(product, sent++) });
    if (result.statuses.size !== 1 || !result.statuses.has(201)) {
      throw new Error(`${JSON.stringify([...result.statuses])} instead of 201 only`);
    }
    return result.p99Ms;
  }

  await p99();
  for (let round = 0; round < CREATE_ROUNDS; round++) {
    const alone = await p99();
    await idle.ask({ port, payments: payments.slice(0, BESIDE_STREAMS) });
    const among = await p99();
    await closeAll({ product, idle });
    ratios.push(among / alone);
    beside.push(among);
  }
  figure("checkout.create_p99_ms", median(beside), `ms, with ${BESIDE_STREAMS} idle streams`);
  figure("checkout.create_p99_ratio", median(ratios), `x, ${BESIDE_STREAMS} idle streams by none`);
}

/** From the answer to the submission, which is sent after the commit, until the page has the new status. */
async function measurePushes({ product, idle, payments }: Stage): Promise<void> {
  const { port } = product;
  const committed = new Map<string, number>();
  const times: number[] = [];
  const arrived = new Map<string, number>();
  const watched = payments.slice(0, PUSHES);
  await idle.ask({ port, payments: payments.slice(PUSHES, BESIDE_STREAMS) });
  const streams = await openStatusStreams(port, watched, (id) => {
    if (!arrived.has(id)) arrived.set(id, performance.now());
  });
  const from = performance.now();
  await Promise.all(
    watched.map(async (payment, n) => {
      await pause(Math.max(0, from + (n * 1_000) / PUSHES_PER_S - performance.now()));
      await submit(port, payment, n);
      committed.set(payment.id, performance.now());
    }),
  );
  await untilTrue(async () => arrived.size === PUSHES);
  streams.close();
  await closeAll({ product, idle });
  for (const [id, atMs] of committed) times.push((arrived.get(id) ?? Number.NaN) - atMs);
  times.sort((a, b) => a - b);
  figure("checkout.push_p50_ms", median(times), "ms");
  figure("checkout.push_p99_ms", times[Math.floor(PUSHES * 0.99)] ?? Number.NaN, "ms");
}

async function submit(port: number, { id, clientSecret }: Followed, n: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/payments/${id}/confirm`, {
    method: "POST",
    headers: { "X-Client-Secret": clientSecret, "Content-Type": "application/json" },
    body: JSON.stringify({ txHash: `0x${(n + 1).toString(16).padStart(64, "0")}` }),
  });
  if (answer.status !== 200) throw new Error(`not taken: ${answer.status} ${await answer.text()}`);
  await answer.arrayBuffer();
}

/**
 * The first streams only warm the process up: what it keeps for all requests is not counted. There are few of them at a
 * time, because memory that they leave would serve the streams that are measured.
 */
async function measureMemory({ product, idle, payments }: Stage): Promise<void> {
  const { port, gateway } = product;
  for (let round = 0; round < WARM_ROUNDS; round++) {
    await idle.ask({ port, payments: payments.slice(0, WARM_STREAMS) });
    await closeAll({ product, idle });
  }
  await idle.ask({ port, payments: payments.slice(0, WARM_STREAMS) });
  const before = await residentKb(product);
  await idle.ask({ port, payments: payments.slice(WARM_STREAMS) });
  const kb = (await residentKb(product)) - before;
  const streams = await openIn(gateway.adminUrl);
  figure("checkout.streams", streams, "open at a time");
  figure("checkout.streams_rss_kb", kb / (streams - WARM_STREAMS), "kB a stream");
  await closeAll({ product, idle });
}

async function closeAll({ product, idle }: Pick<Stage, "product" | "idle">): Promise<void> {
  await idle.ask({ port: product.port, payments: [] });
  await untilTrue(async () => (await openIn(product.gateway.adminUrl)) === 0);
}

async function openIn(adminUrl: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^payment_streams_open (\d+)/m.exec(text)?.[1]);
}

/** What is in use: garbage of the requests before is collected first. */
async function residentKb({ gateway, inspectPort }: StreamsProduct): Promise<number> {
  await pause(QUIET_MS);
  await collectGarbage(inspectPort);
  const status = await readFile(`/proc/${gateway.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}

/** In a process that was started with --inspect on this port. */
async function collectGarbage(inspectPort: number): Promise<void> {
  const targets = await (await fetch(`http://127.0.0.1:${inspectPort}/json`)).json();
  const [{ webSocketDebuggerUrl }] = targets as [{ webSocketDebuggerUrl: string }];
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, "open");
  const answered = once(socket, "message");
  socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" }));
  await answered;
  socket.close();
}

function once(socket: WebSocket, name: "open" | "message"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    socket.addEventListener(name, resolve, { once: true });
    socket.addEventListener("error", () => reject(new Error("no debugger answers")), {
      once: true,
    });
  });
}
