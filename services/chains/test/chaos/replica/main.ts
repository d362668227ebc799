// The service as a process that is killed: what it consumes and publishes goes over the channel to its parent, which
// keeps the events like a broker and hands all of them over again after each start.
import { flushCompileCache } from "node:module";
import { type BusRecord, createLocalBus, TOPICS } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { chainsConfig, startChains } from "../../../src/index.ts";

function send(message: unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}

const life = createTestRuntime("chains");
const bus = createLocalBus();
await bus.subscribe({
  group: "parent",
  topics: [TOPICS.observations],
  handle: (records) => send(records),
});
await startChains(readConfig(chainsConfig, process.env), life, {
  bus,
  bounds: { rpcTimeoutMs: 1_000, verifyIntervalMs: 20, followIntervalMs: 20 },
});
process.on("message", (records: BusRecord[]) => {
  // As from a broker: a list that could not be handled comes again.
  function hand(): Promise<void> {
    return bus.publish(records).catch(hand);
  }

  void hand();
});
process.on("disconnect", () => process.exit());
// A killed process does not get to its end.
flushCompileCache();
await send("ready");
