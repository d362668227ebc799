// The service as a process that a test kills. It takes its work from the database, so it needs no broker.
import { flushCompileCache } from "node:module";
import { createLocalBus } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { chainsConfig, startChains } from "../../src/index.ts";

const life = createTestRuntime("chains");
await startChains(readConfig(chainsConfig, process.env), life, {
  bus: createLocalBus(),
  bounds: { verifyIntervalMs: 20 },
});
// A killed process does not get to its end.
flushCompileCache();
