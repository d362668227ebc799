// The service in a process of its own, so that its memory and CPU are not the bench's.
import { chainsConfig, startChains } from "@pay/chains";
import { createLocalBus } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { servePart } from "./child.ts";

servePart(async (environment: Record<string, string>) => {
  const life = createTestRuntime("bench");
  await startChains(readConfig(chainsConfig, environment), life, { bus: createLocalBus() });
  return {};
});
