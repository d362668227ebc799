import { openListedDatabase } from "@pay/database";
import { type Bus, consume, startRelay } from "@pay/events";
import type { Runtime } from "@pay/process";
import { ChainsService, PaymentsService, RefundsService, SettlementsService } from "@pay/proto";
import { connect, implement, serve } from "@pay/rpc";
import type { RefundsConfig } from "./config.ts";
import { createDeclaredRefunds, readDeclarations } from "./consumers/create-declared-refund.ts";
import { failUnsendable, UNSENDABLE } from "./consumers/fail-unsendable.ts";
import { CREDIT_TYPES, readCredits } from "./consumers/read-credits.ts";
import { settleRefunds } from "./consumers/settle-refunds.ts";
import { settleSettlements } from "./consumers/settle-settlements.ts";
import { VERDICT_TYPES } from "./consumers/verdicts.ts";
import type { Deps } from "./deps.ts";
import { createSignedWallets } from "./domain/signed-wallets.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { startCompareSums } from "./jobs/compare-sums.ts";
import { startFailOverdue } from "./jobs/fail-overdue.ts";
import { startUpdateGauges } from "./jobs/update-gauges.ts";
import { refundsService, settlementsService } from "./service.ts";
import { followPayments } from "./storage/refunds.ts";
import { creditWallets } from "./storage/wallets.ts";

const HOUR_MS = 60 * 60_000;
/** Between two rounds of a background job. */
const JOB_INTERVAL_MS = 60_000;

export async function startRefunds(
  config: RefundsConfig,
  runtime: Runtime,
  { bus, jobIntervalMs = JOB_INTERVAL_MS }: { bus: Bus; jobIntervalMs?: number },
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
    chains: connect(ChainsService, config.CHAINS_ADDRESS, runtime),
    clock: runtime.clock,
    log: runtime.log,
    sharedAddresses: config.REFUNDS_SHARED_ADDRESSES,
    isServiceSigned: createSignedWallets(config.REFUNDS_SIGNED_WALLETS),
    destinationDelayMs: config.SETTLEMENT_DESTINATION_DELAY_HOURS * HOUR_MS,
    relay: startRelay({ db, bus, runtime }),
  };
  startFailOverdue(deps, runtime, {
    timeoutMs: config.REFUNDS_TIMEOUT_HOURS * HOUR_MS,
    intervalMs: jobIntervalMs,
  });
  startUpdateGauges(deps, runtime);
  startCompareSums(deps, runtime, { intervalMs: jobIntervalMs });
  await consume({
    bus,
    db,
    runtime,
    consumer: "refunds",
    types: [UNSENDABLE, ...VERDICT_TYPES, ...CREDIT_TYPES],
    handle: async (events, tx) => {
      const credits = readCredits(events);
      const declarations = await readDeclarations(deps, events);
      await followPayments(tx, credits);
      await createDeclaredRefunds(deps, declarations, tx);
      await settleRefunds(deps, events, tx);
      await settleSettlements(deps, events, tx);
      await failUnsendable(deps, events, tx);
      // Last, so that every transaction locks balances of payments before wallets.
      await creditWallets(tx, credits);
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
