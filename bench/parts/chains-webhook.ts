// From the block of a payment to its webhook: the whole product in one process as `npm start` runs it, on its own
// chain, with one confirmation.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callNode } from "@pay/embedded";
import type { Credentials } from "@pay/standalone";
import { figure, median } from "../figures.ts";
import { untilTrue } from "./until-true.ts";
import { type Undo, withUndo } from "./with-undo.ts";

const MAIN = join(import.meta.dirname, "..", "..", "standalone", "src", "main.ts");
const PAYMENTS = 100;
const P99 = 0.99;
const VALUE = 10n ** 15n;

export function measureWebhooks(): Promise<void> {
  return withUndo(async (undo) => {
    const { credentials, arrivals } = await startAll(undo);
    const delays: number[] = [];
    for (let nth = 0; nth < PAYMENTS; nth++) {
      const id = await createPayment(credentials, nth);
      await pay(credentials, nth);
      const minedAt = performance.now();
      await untilTrue(async () => arrivals.has(id));
      delays.push((arrivals.get(id) ?? 0) - minedAt);
    }
    const sorted = delays.toSorted((a, b) => a - b);
    figure("chains.mined_to_webhook_p50_ms", median(delays), "ms");
    const p99 = sorted[Math.ceil(PAYMENTS * P99) - 1] ?? Number.NaN;
    figure("chains.mined_to_webhook_p99_ms", p99, "ms, one confirmation");
  });
}

async function startAll(undo: Undo) {
  const arrivals = new Map<string, number>();
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { id } = JSON.parse(Buffer.concat(chunks).toString());
    if (!arrivals.has(id)) arrivals.set(id, performance.now());
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  undo.push(async () => receiver.closeAllConnections());
  undo.push(async () => receiver.close());
  const { port } = receiver.address() as { port: number };

  const folder = await mkdtemp(join(tmpdir(), "pay-bench-product-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const product = spawn(process.execPath, [MAIN], {
    env: { ...process.env, DATA_DIR: folder, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  undo.push(() => stop(product));
  const credentials = await ready(product, folder);
  const url = `http://127.0.0.1:${port}/`;
  const events = ["payment.confirmed"];
  await ask(credentials, "/v1/webhook-endpoints", { url, events });
  return { credentials, arrivals };
}

function stop(product: ChildProcess): Promise<unknown> {
  const exited = new Promise((resolve) => product.once("exit", resolve));
  product.kill("SIGINT");
  return exited;
}

async function ready(product: ChildProcess, folder: string): Promise<Credentials> {
  let said = "";
  product.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await untilTrue(async () => /^ready /m.test(said));
  return JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"));
}

async function ask({ baseUrl, secretKey }: Credentials, path: string, body: object) {
  const answered = await fetch(new URL(path, baseUrl), {
    method: "POST",
    headers: { "X-Secret-Key": secretKey, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await answered.json()) as { id: string };
  if (!answered.ok) throw new Error(`${path} answered ${answered.status}`);
  return answer;
}

function makeRecipient(nth: number): string {
  return `0x${`${nth + 1}`.padStart(40, "c")}`;
}

/** Its own recipient tells whose transfer it is, so no hash is submitted. */
async function createPayment(credentials: Credentials, nth: number): Promise<string> {
  const { chainId } = credentials;
  const order = {
    amount: "0.001",
    chainId,
    currency: "native",
    recipientAddress: makeRecipient(nth),
  };
  return (await ask(credentials, "/v1/payments", order)).id;
}

/** Mined at once. */
async function pay({ chainRpcUrl }: Credentials, nth: number): Promise<void> {
  const [from] = (await callNode(chainRpcUrl, "eth_accounts")) as string[];
  const transaction = { from, to: makeRecipient(nth), value: `0x${VALUE.toString(16)}` };
  await callNode(chainRpcUrl, "eth_sendTransaction", [transaction]);
}
