// What the page that shoppers pay on costs: its size, how it feels on a slow phone, and the streams over which it
// follows its payment: their memory in the gateway, how soon a change reaches a page, and what creations notice of
// thousands of idle pages. A real broker is between payments and gateway.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leasePort, startKafka } from "@pay/embedded";
import { startGatewayAndPayments } from "./bench-product.ts";
import { measurePage } from "./parts/checkout-page.ts";
import { measureStreams } from "./parts/checkout-streams.ts";
import { withUndo } from "./parts/with-undo.ts";

/** As many as a gateway takes by default. */
const STREAMS = 10_000;

export async function run(): Promise<void> {
  await withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-checkout-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const kafka = await startKafka({ dataDir: join(folder, "kafka") });
    undo.push(() => kafka.kill());
    const inspectPort = await leasePort();
    const product = await startGatewayAndPayments(folder, undo, {
      given: { KAFKA_BROKERS: kafka.brokers.join(",") },
      ofGateway: { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectPort}` },
    });
    const own = { ...product, inspectPort };
    await measurePage(own, undo);
    await measureStreams(own, STREAMS, undo);
  });
}
