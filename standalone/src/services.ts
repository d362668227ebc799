import { chainsConfig, startChains } from "@pay/chains";
import { customersConfig, startCustomers } from "@pay/customers";
import { onPort } from "@pay/embedded";
import type { Bus } from "@pay/events";
import { gatewayConfig, startGateway } from "@pay/gateway";
import { paymentsConfig, startPayments } from "@pay/payments";
import { processConfig, type Runtime, readConfig, readIdentity } from "@pay/process";
import { refundsConfig, startRefunds } from "@pay/refunds";
import { CALLERS } from "@pay/rpc";
import { startWebhooks, webhooksConfig } from "@pay/webhooks";
import type { Environment } from "./parts.ts";
import type { ServiceName } from "./service-names.ts";

/** All services in this process. */
export async function startServices(
  environment: Environment,
  life: Runtime,
  bus: Bus,
): Promise<void> {
  const internal = processConfig.pick({ INTERNAL_HOST: true });
  const { INTERNAL_HOST: grpcHost } = readConfig(internal, environment);
  /** Each service identifies itself to the others, also inside one process. */
  function as(name: ServiceName): Runtime {
    return {
      ...life,
      grpcHost,
      identity: readIdentity(name, CALLERS, environment),
    };
  }

  function setAddress(name: ServiceName, { address }: { address: string }) {
    environment[`${name.toUpperCase()}_ADDRESS`] ||= address;
  }

  const on = { bus };
  // Chains and payments call each other, so the port of payments is known before either starts.
  const paymentsPort = await onPort(Number(environment.PAYMENTS_GRPC_PORT), async (port) => port);
  environment.PAYMENTS_GRPC_PORT = `${paymentsPort}`;
  environment.PAYMENTS_ADDRESS ||= `127.0.0.1:${paymentsPort}`;
  setAddress("chains", await startChains(readConfig(chainsConfig, environment), as("chains"), on));
  const customers = readConfig(customersConfig, environment);
  setAddress("customers", await startCustomers(customers, as("customers"), on));
  const payments = readConfig(paymentsConfig, environment);
  await startPayments(payments, as("payments"), on);
  setAddress(
    "refunds",
    await startRefunds(readConfig(refundsConfig, environment), as("refunds"), on),
  );
  const webhooks = readConfig(webhooksConfig, environment);
  setAddress("webhooks", await startWebhooks(webhooks, as("webhooks"), on));
  await startGateway(readConfig(gatewayConfig, environment), as("gateway"), on);
}
