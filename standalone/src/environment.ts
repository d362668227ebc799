import { leasePort } from "@pay/embedded";
import { type DataFolder, readSecrets, StartFault } from "./data-folder.ts";
import type { Environment, Parts } from "./parts.ts";

export const GRPC_SERVICES = ["PAYMENTS", "CUSTOMERS", "REFUNDS", "CHAINS", "WEBHOOKS"] as const;
const PORT_DEFAULT = 8080;

/**
 * Variables that the user has set, and defaults for all others. All services share one map; the address of each service
 * is added when it is bound.
 */
export async function buildEnvironment(
  folder: DataFolder,
  parts: Parts,
  given: Environment,
): Promise<Environment> {
  const inner = Object.fromEntries(GRPC_SERVICES.map((name) => [`${name}_GRPC_PORT`, "0"]));
  const port = getPort(given) || (await leasePort());
  return {
    LOG_LEVEL: "warn",
    DRAIN_DELAY_MS: "0",
    ADMIN_PORT: "0",
    REQUIRE_HTTPS: "0",
    TRUST_PROXY: "0",
    GATEWAY_HOST: "127.0.0.1",
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBHOOKS_ALLOW_HOSTS: "localhost",
    SETTLEMENT_DESTINATION_DELAY_HOURS: "0",
    ...inner,
    ...readSecrets(folder),
    ...parts.environment,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)),
    // With the id that the chain itself reports.
    CHAINS_LOCAL: parts.environment.CHAINS_LOCAL,
    PORT: `${port}`,
  };
}

/** The port of the REST API; 0 picks a free one. */
function getPort(given: Environment): number {
  const port = Number(given.PORT || PORT_DEFAULT);
  if (Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new StartFault("PORT must be a number from 0 to 65535");
}
