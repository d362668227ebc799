// The product in its distributed form: real parts, a real broker, one process per service. The command and the
// end-to-end tests start it through here; the tests also kill its services.
import { freePort } from "@pay/embedded";
import type { Log } from "@pay/process";
import { type Child, startChild } from "./children.ts";
import type { DataFolder } from "./data-folder.ts";
import { environmentOf } from "./environment.ts";
import { type Environment, type Parts, startParts } from "./parts.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-names.ts";

export interface Product {
  parts: Parts;
  environment: Environment;
  /** The processes that run now. */
  children: Map<ServiceName, Child>;
  /** Starts a service that has ended again, where it was. */
  restart(name: ServiceName): Promise<Child>;
}

export const startProduct = async (options: {
  folder: DataFolder;
  given: Environment;
  log: Log;
  say: (line: string) => void;
  onStop: (name: string, stop: () => Promise<void>) => void;
  onLine?: (name: ServiceName, line: string) => void;
}): Promise<Product> => {
  const { folder, given, onStop, say } = options;
  const parts = await startParts(options, { kafka: true });
  const environment = await environmentOf(folder, parts, given);
  const children = new Map<ServiceName, Child>();
  const sidePorts = new Map<ServiceName, number>();
  onStop("services", async () => {
    // The door first, then who stands behind it.
    for (const name of SERVICE_NAMES.toReversed()) await children.get(name)?.stop();
  });

  const start = async (name: ServiceName): Promise<Child> => {
    const sidePort = sidePorts.get(name) ?? (await freePort());
    sidePorts.set(name, sidePort);
    const child = await startChild(name, environment, sidePort, options.onLine);
    children.set(name, child);
    say(`${name} is up`);
    return child;
  };
  await start("chains");
  await Promise.all(
    SERVICE_NAMES.filter((name) => !["chains", "gateway"].includes(name)).map(start),
  );
  await start("gateway");
  return { parts, environment, children, restart: start };
};
