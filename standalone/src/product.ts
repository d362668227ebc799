// The product in its distributed form: real parts, a real broker, one process per service. The command and the
// end-to-end tests start it through here; the tests also kill its services.
import { onPort } from "@pay/embedded";
import type { Log } from "@pay/process";
import { type Child, portVariable, startChild } from "./children.ts";
import type { DataFolder } from "./data-folder.ts";
import { buildEnvironment } from "./environment.ts";
import { type Environment, type Parts, startParts } from "./parts.ts";
import { payingWallet } from "./paying-wallet.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-names.ts";

export interface Product {
  parts: Parts;
  environment: Environment;
  /** The id that the paying wallet belongs to, for the first project that is made. */
  projectId: string;
  /** The processes that run now. */
  children: Map<ServiceName, Child>;
  /** Starts a service again that has ended, on the same port. */
  restart(name: ServiceName): Promise<Child>;
}

export async function startProduct(options: {
  folder: DataFolder;
  given: Environment;
  log: Log;
  say: (line: string) => void;
  onStop: (name: string, stop: () => Promise<void>) => void;
  onLine?: (name: ServiceName, line: string) => void;
}): Promise<Product> {
  const { folder, given, onStop, say } = options;
  const parts = await startParts(options, { kafka: true });
  const { projectId, ...wallet } = await payingWallet(folder, parts, given);
  const environment = {
    ...(await buildEnvironment(folder, parts, given)),
    ...wallet.environment,
  };
  const children = new Map<ServiceName, Child>();
  const ports = new Map<ServiceName, Ports>();
  onStop("services", async () => {
    // The gateway stops first, then the services that it calls.
    for (const name of SERVICE_NAMES.toReversed()) await children.get(name)?.stop();
  });

  async function startOn(name: ServiceName, own: Ports): Promise<Child> {
    environment[portVariable(name)] = `${own.port}`;
    const address = `${name.toUpperCase()}_ADDRESS`;
    environment[address] = given[address] || `127.0.0.1:${own.port}`;
    const child = await startChild(name, environment, own.adminPort, options);
    ports.set(name, own);
    children.set(name, child);
    say(`${name} is up`);
    return child;
  }

  // Callers of a service keep its address, so a restart uses the same port.
  function start(name: ServiceName): Promise<Child> {
    return onPort(Number(environment[portVariable(name)]), (port) =>
      onPort(ports.get(name)?.adminPort, (adminPort) => startOn(name, { port, adminPort })),
    );
  }

  // Chains and payments call each other, so the port of payments is known before either starts.
  const port = await onPort(Number(environment.PAYMENTS_GRPC_PORT), async (leased) => leased);
  environment.PAYMENTS_GRPC_PORT = `${port}`;
  environment.PAYMENTS_ADDRESS = given.PAYMENTS_ADDRESS || `127.0.0.1:${port}`;
  await start("chains");
  await Promise.all([
    start("customers"),
    start("webhooks"),
    start("payments").then(() => start("refunds")),
  ]);
  await start("gateway");
  return { parts, environment, projectId, children, restart: start };
}

interface Ports {
  port: number;
  adminPort: number;
}
