import { awaitSchema, openDatabase, startIdempotencyPurge } from "@pay/database";
import { type Bus, consume, startRelay, TOPICS } from "@pay/events";
import type { Runtime } from "@pay/process";
import { PaymentsService, RefundsService } from "@pay/proto";
import { connect, implement, serve } from "@pay/rpc";
import type { RefundsConfig } from "./config.ts";
import { openDeclared } from "./consumers/open-declared.ts";
import { settleVerdicts } from "./consumers/settle-verdicts.ts";
import type { Deps } from "./deps.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { startTimeOut } from "./jobs/time-out.ts";
import { refundsService } from "./service.ts";

const HOUR_MS = 60 * 60_000;

export const startRefunds = async (
  config: RefundsConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> => {
  const db = openDatabase({
    url: config.REFUNDS_DATABASE_URL,
    poolMax: config.REFUNDS_DATABASE_POOL_MAX,
    applicationName: "refunds",
    runtime,
  });
  const home = new URL("..", import.meta.url);
  await awaitSchema({ db, runtime, home, variable: "REFUNDS_DATABASE_URL" });
  const deps: Deps = {
    db,
    prisma: new PrismaClient({ adapter: db.adapter }),
    payments: connect(PaymentsService, config.PAYMENTS_ADDRESS, runtime),
    clock: runtime.clock,
    log: runtime.log,
    sharedAddresses: config.REFUNDS_SHARED_ADDRESSES,
    relay: startRelay({ db, bus, runtime }),
  };
  startTimeOut(deps, runtime, {
    timeoutMs: config.REFUNDS_TIMEOUT_HOURS * HOUR_MS,
    intervalMs: config.REFUNDS_TIMEOUT_INTERVAL_MS,
  });
  startIdempotencyPurge(db, runtime);
  await consume({
    bus,
    db,
    runtime,
    consumer: "refunds",
    topics: [TOPICS.observations, TOPICS.payments],
    handle: async (events, tx) => {
      await openDeclared(deps, events, tx);
      await settleVerdicts(deps, events, tx);
    },
    afterCommit: () => deps.relay.wake(),
  });
  return serve({
    runtime,
    port: config.REFUNDS_GRPC_PORT,
    services: [implement(RefundsService, refundsService(deps))],
  });
};
