import { freePort } from "@pay/embedded";
import { type DataFolder, StartFault, secretsOf } from "./data-folder.ts";
import type { Environment, Parts } from "./parts.ts";

const GRPC_SERVICES = ["PAYMENTS", "CUSTOMERS", "REFUNDS", "CHAINS", "WEBHOOKS"] as const;
const PORT_DEFAULT = 8080;

/** What the caller set counts; everything else is chosen here. One map serves every service. */
export const environmentOf = async (
  folder: DataFolder,
  parts: Parts,
  given: Environment,
): Promise<Environment> => {
  const inner: Environment = {};
  for (const name of GRPC_SERVICES) {
    const port = await freePort();
    inner[`${name}_GRPC_PORT`] = `${port}`;
    inner[`${name}_ADDRESS`] = `127.0.0.1:${port}`;
  }
  const port = portOf(given);
  return {
    LOG_LEVEL: "warn",
    DRAIN_DELAY_MS: "0",
    SIDE_PORT: "0",
    REQUIRE_HTTPS: "0",
    TRUST_PROXY: "0",
    GATEWAY_HOST: "127.0.0.1",
    PORT: `${port}`,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    WEBHOOKS_ALLOW_LOOPBACK: "1",
    ...inner,
    ...secretsOf(folder),
    ...parts.environment,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value)),
  };
};

export const portOf = (given: Environment): number => {
  const port = Number(given.PORT || PORT_DEFAULT);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new StartFault("PORT must be a number from 1 to 65535");
};
