import { openListedDatabase } from "@pay/database";
import { type Bus, consume, startRelay } from "@pay/events";
import type { Runtime } from "@pay/process";
import { ChainsService, PaymentsService } from "@pay/proto";
import { connect, implement, serve } from "@pay/rpc";
import { followCatalog } from "./catalog.ts";
import type { PaymentsConfig } from "./config.ts";
import { applyFacts, FACT_TYPES } from "./consumers/apply-facts.ts";
import type { Deps } from "./deps.ts";
import { startCompareProofs } from "./jobs/compare-proofs.ts";
import { startExpiry } from "./jobs/expire.ts";
import { startHandoffPurge } from "./jobs/purge-handoffs.ts";
import { startRollUp } from "./jobs/roll-up-counts.ts";
import { paymentsService } from "./service.ts";

/** Short, because the items of a list that met a lock are written one by one within one deadline. */
const LOCK_TIMEOUT_MS = 1_000;

interface Parts {
  bus: Bus;
  /** Shorter in tests. */
  expiryIntervalMs?: number;
  proofsIntervalMs?: number;
}

export async function startPayments(
  config: PaymentsConfig,
  runtime: Runtime,
  { bus, expiryIntervalMs = 1_000, proofsIntervalMs = 60_000 }: Parts,
): Promise<{ address: string }> {
  const { db, lists } = await openListedDatabase({
    service: "payments",
    config,
    home: new URL("..", import.meta.url),
    runtime,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
  const chains = connect(ChainsService, config.CHAINS_ADDRESS, runtime);
  const deps: Deps = {
    db,
    lists,
    chains,
    catalog: followCatalog(chains, runtime),
    clock: runtime.clock,
    log: runtime.log,
    secretKeys: config.PAYMENTS_CLIENT_SECRET_KEYS,
    relay: startRelay({ db, bus, runtime }),
  };
  startExpiry(deps, runtime, expiryIntervalMs);
  startRollUp(deps, runtime);
  startHandoffPurge(deps, runtime);
  startCompareProofs(deps, runtime, { intervalMs: proofsIntervalMs });
  await consume({
    bus,
    db,
    runtime,
    consumer: "payments",
    types: FACT_TYPES,
    handle: (events, tx) => applyFacts(deps, events, tx),
    afterCommit: () => deps.relay.wake(),
  });
  return serve({
    runtime,
    port: config.PAYMENTS_GRPC_PORT,
    services: [implement(PaymentsService, paymentsService(deps))],
  });
}
