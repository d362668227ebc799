import { chainsConfig, startChains } from "@pay/chains";
import { customersConfig, startCustomers } from "@pay/customers";
import type { Bus } from "@pay/events";
import { gatewayConfig, startGateway } from "@pay/gateway";
import { paymentsConfig, startPayments } from "@pay/payments";
import { type Runtime, readConfig, serviceTokensOf } from "@pay/process";
import { refundsConfig, startRefunds } from "@pay/refunds";
import { startWebhooks, webhooksConfig } from "@pay/webhooks";
import type { Environment } from "./parts.ts";

/** All services in this process, who is asked before who asks. */
export const startServices = async (
  environment: Environment,
  life: Runtime,
  bus: Bus,
): Promise<void> => {
  const runtime = { ...life, serviceTokens: serviceTokensOf(environment) };
  await startChains(readConfig(chainsConfig, environment), runtime, { bus });
  await startCustomers(readConfig(customersConfig, environment), runtime, { bus });
  await startPayments(readConfig(paymentsConfig, environment), runtime, { bus });
  await startRefunds(readConfig(refundsConfig, environment), runtime, { bus });
  await startWebhooks(readConfig(webhooksConfig, environment), runtime, { bus });
  await startGateway(readConfig(gatewayConfig, environment), runtime, { bus });
};
