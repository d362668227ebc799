import { openListedDatabase } from "@pay/database";
import { type Bus, consume, startRelay } from "@pay/events";
import type { Runtime } from "@pay/process";
import { PaymentsService, RefundsService, SettlementsService } from "@pay/proto";
import { connect, implement, serve } from "@pay/rpc";
import type { RefundsConfig } from "./config.ts";
import { failUnsent, UNSENT } from "./consumers/fail-unsent.ts";
import { DECLARATION, openDeclared } from "./consumers/open-declared.ts";
import { settleSettlements } from "./consumers/settle-settlements.ts";
import { settleVerdicts } from "./consumers/settle-verdicts.ts";
import { CREDIT_TYPES, takeCredits } from "./consumers/take-credits.ts";
import { VERDICT_TYPES } from "./consumers/verdicts.ts";
import type { Deps } from "./deps.ts";
import { signedWallets } from "./domain/signed-wallets.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { startCompareSums } from "./jobs/compare-sums.ts";
import { startTimeOut } from "./jobs/time-out.ts";
import { startWatchHeld } from "./jobs/watch-held.ts";
import { refundsService, settlementsService } from "./service.ts";

const HOUR_MS = 60 * 60_000;

export async function startRefunds(
  config: RefundsConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> {
  const { db, lists } = await openListedDatabase({
    service: "refunds",
    config,
    home: new URL("..", import.meta.url),
    runtime,
  });
  const deps: Deps = {
    db,
    lists,
    prisma: new PrismaClient({ adapter: db.adapter }),
    payments: connect(PaymentsService, config.PAYMENTS_ADDRESS, runtime),
    clock: runtime.clock,
    log: runtime.log,
    sharedAddresses: config.REFUNDS_SHARED_ADDRESSES,
    isServiceSigned: signedWallets(config.REFUNDS_SIGNED_WALLETS),
    destinationDelayMs: config.SETTLEMENT_DESTINATION_DELAY_HOURS * HOUR_MS,
    relay: startRelay({ db, bus, runtime }),
  };
  startTimeOut(deps, runtime, {
    timeoutMs: config.REFUNDS_TIMEOUT_HOURS * HOUR_MS,
    intervalMs: config.REFUNDS_TIMEOUT_INTERVAL_MS,
  });
  startWatchHeld(deps, runtime);
  startCompareSums(deps, runtime, { intervalMs: config.REFUNDS_SUMS_INTERVAL_MS });
  await consume({
    bus,
    db,
    runtime,
    consumer: "refunds",
    types: [DECLARATION, UNSENT, ...VERDICT_TYPES, ...CREDIT_TYPES],
    handle: async (events, tx) => {
      await openDeclared(deps, events, tx);
      await settleVerdicts(deps, events, tx);
      await settleSettlements(deps, events, tx);
      await failUnsent(deps, events, tx);
      // Last, so that every transaction locks payments' balances before wallets.
      await takeCredits(events, tx);
    },
    afterCommit: () => deps.relay.wake(),
  });
  return serve({
    runtime,
    port: config.REFUNDS_GRPC_PORT,
    services: [
      implement(RefundsService, refundsService(deps)),
      implement(SettlementsService, settlementsService(deps)),
    ],
  });
}
