import { type Database, openDatabase, openServiceDatabase } from "@pay/database";
import { type Bus, consume, startRelay } from "@pay/events";
import { startIdempotencyPurge } from "@pay/idempotency";
import type { Runtime } from "@pay/process";
import { ChainsService, PaymentsService } from "@pay/proto";
import { connect, implement, serve } from "@pay/rpc";
import type { Pool } from "pg";
import { followCatalog } from "./catalog.ts";
import type { PaymentsConfig } from "./config.ts";
import { FACT_TYPES, settleVerdicts } from "./consumers/settle-verdicts.ts";
import type { Deps } from "./deps.ts";
import { startExpiry } from "./jobs/expire.ts";
import { startFolding } from "./jobs/fold-spans.ts";
import { startHandoffPurge } from "./jobs/purge-handoffs.ts";
import { createTurns } from "./list-turns.ts";
import { paymentsService } from "./service.ts";

/** Of one project, in one process. */
const LISTS_RUNNING_MAX = 2;
const LISTS_WAITING_MAX = 50;
/** Of four connections one is for lists. */
const CONNECTIONS_PER_LIST = 4;

/** Short, because the items of a list that met a lock are written one by one within the deadline of the call. */
const LOCK_TIMEOUT_MS = 1_000;

/** Splits the configured number of connections in two pools. Where there are too few to split, one pool serves all. */
async function openPools(
  config: PaymentsConfig,
  runtime: Runtime,
): Promise<{ db: Database; listPool: Pool }> {
  const { PAYMENTS_DATABASE_URL: url, PAYMENTS_DATABASE_POOL_MAX: max } = config;
  const lists = Math.floor(max / CONNECTIONS_PER_LIST);
  const db = await openServiceDatabase({
    service: "payments",
    config,
    home: new URL("..", import.meta.url),
    runtime,
    poolMax: max - lists,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
  });
  if (lists === 0) return { db, listPool: db.pool };
  const applicationName = "payments lists";
  return { db, listPool: openDatabase({ url, poolMax: lists, applicationName, runtime }).pool };
}

export async function startPayments(
  config: PaymentsConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> {
  const { db, listPool } = await openPools(config, runtime);
  const chains = connect(ChainsService, config.CHAINS_ADDRESS, runtime);
  const deps: Deps = {
    db,
    listPool,
    listTurns: createTurns({ runningMax: LISTS_RUNNING_MAX, waitingMax: LISTS_WAITING_MAX }),
    chains,
    catalog: followCatalog(chains, runtime),
    clock: runtime.clock,
    log: runtime.log,
    secretKeys: config.PAYMENTS_CLIENT_SECRET_KEYS,
    sharedAddresses: config.REFUNDS_SHARED_ADDRESSES,
    relay: startRelay({ db, bus, runtime }),
  };
  startExpiry(deps, runtime, config.PAYMENTS_EXPIRE_INTERVAL_MS);
  startFolding(deps, runtime);
  startHandoffPurge(deps, runtime);
  startIdempotencyPurge(db, runtime);
  await consume({
    bus,
    db,
    runtime,
    consumer: "payments",
    types: FACT_TYPES,
    handle: (events, tx) => settleVerdicts(deps, events, tx),
    afterCommit: () => deps.relay.wake(),
  });
  return serve({
    runtime,
    port: config.PAYMENTS_GRPC_PORT,
    services: [implement(PaymentsService, paymentsService(deps))],
  });
}
