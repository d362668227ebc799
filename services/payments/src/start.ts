import { awaitSchema, openDatabase, startIdempotencyPurge } from "@pay/database";
import { type Bus, consume, startRelay, TOPICS } from "@pay/events";
import type { Runtime } from "@pay/process";
import { ChainsService, PaymentsService } from "@pay/proto";
import { connect, implement, serve } from "@pay/rpc";
import { followCatalog } from "./catalog.ts";
import type { PaymentsConfig } from "./config.ts";
import { settleVerdicts } from "./consumers/settle-verdicts.ts";
import type { Deps } from "./deps.ts";
import { startExpiry } from "./jobs/expire.ts";
import { paymentsService } from "./service.ts";

export const startPayments = async (
  config: PaymentsConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> => {
  const db = openDatabase({
    url: config.PAYMENTS_DATABASE_URL,
    poolMax: config.PAYMENTS_DATABASE_POOL_MAX,
    applicationName: "payments",
    runtime,
  });
  const home = new URL("..", import.meta.url);
  await awaitSchema({ db, runtime, home, variable: "PAYMENTS_DATABASE_URL" });
  const chains = connect(ChainsService, config.CHAINS_ADDRESS, runtime);
  const deps: Deps = {
    db,
    chains,
    catalog: followCatalog(chains, runtime),
    clock: runtime.clock,
    secretKeys: config.PAYMENTS_CLIENT_SECRET_KEYS,
    relay: startRelay({ db, bus, runtime }),
  };
  startExpiry(deps, runtime, config.PAYMENTS_EXPIRE_INTERVAL_MS);
  startIdempotencyPurge(db, runtime);
  await consume({
    bus,
    db,
    runtime,
    consumer: "payments",
    topics: [TOPICS.observations, TOPICS.refunds],
    handle: (events, tx) => settleVerdicts(deps, events, tx),
    afterCommit: () => deps.relay.wake(),
  });
  return serve({
    runtime,
    port: config.PAYMENTS_GRPC_PORT,
    services: [implement(PaymentsService, paymentsService(deps))],
  });
};
