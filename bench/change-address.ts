// A merchant changes the address of its webhooks and creates a payment at once, again and again, on the whole product
// with a real broker: does every event of such a payment arrive, and at the new address? `npm run bench --
// change-address 50` does it fifty times; the default is a thousand.

import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@pay/process";
import { createProjectByCommand, openDataFolder, startProduct } from "@pay/standalone";
import { figure, median } from "./figures.ts";
import { untilTrue } from "./parts/until-true.ts";
import { type Undo, withUndo } from "./parts/with-undo.ts";

const CHANGES = Number(process.argv[3] ?? 1_000);
const RECIPIENT = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

interface Arrival {
  path: string;
  paymentId: string;
}

export function run(): Promise<void> {
  return withUndo(measure);
}

async function measure(undo: Undo): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "pay-bench-address-"));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  const product = await startProduct({
    folder: openDataFolder(folder),
    given: {
      PATH: process.env.PATH,
      PORT: "0",
      WEBHOOKS_ALLOW_HTTP: "1",
      RATE_LIMITS: '{"live": {"perSecond": 0}, "routePerSecond": 0}',
    },
    log: createLog("bench", "silent"),
    say: () => {},
    onStop: (_, stop) => undo.push(stop),
  });
  const { secretKey } = await createProjectByCommand("Bench", product.environment);
  const receiver = await startPlainReceiver(undo);
  async function ask(method: string, path: string, body: object) {
    const answer = await fetch(`${product.environment.PUBLIC_URL}${path}`, {
      method,
      headers: { "X-Secret-Key": secretKey, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  }

  const wanted = new Map<string, string>();
  const order = { amount: "1.5", chainId: product.parts.chainId, currency: "native" };
  const took: number[] = [];
  for (let n = 0; n < CHANGES; n++) {
    const path = `/${n}`;
    const begun = performance.now();
    await ask("PUT", "/v1/projects/me", { callbackUrl: `${receiver.url}${path}` });
    took.push(performance.now() - begun);
    const { id = "" } = await ask("POST", "/v1/payments", {
      ...order,
      recipientAddress: RECIPIENT,
    });
    wanted.set(id, path);
  }
  function arrived() {
    return new Map(receiver.arrivals.map(({ paymentId, path }) => [paymentId, path]));
  }

  await untilTrue(async () => [...wanted.keys()].every((id) => arrived().has(id))).catch(() => {});
  const came = arrived();
  const lost = [...wanted.keys()].filter((id) => !came.has(id));
  const old = receiver.arrivals.filter(({ paymentId, path }) => {
    // One that was changed again meanwhile is a newer one.
    return Number(path.slice(1)) < Number(wanted.get(paymentId)?.slice(1));
  });
  figure("change-address.changes", CHANGES, "changes, a payment after each");
  figure("change-address.change_p50_ms", median(took), "ms");
  figure("change-address.lost", lost.length, "events");
  figure("change-address.at_an_old_address", old.length, "requests");
}

async function startPlainReceiver(undo: Undo) {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id } = JSON.parse(body) as { id: string };
    arrivals.push({ path: request.url ?? "", paymentId: id });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  undo.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, arrivals };
}
