import { type Database, openListedDatabase } from "@pay/database";
import { type Bus, consume, startRelay } from "@pay/events";
import { every, type Job, type Runtime } from "@pay/process";
import { ChainsService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";
import { createBookKeeper } from "./books/keep-books.ts";
import { type Catalog, createCatalog } from "./catalog/catalog.ts";
import { type ConfiguredChain, configuredChains, feeTokensOf } from "./catalog/configured.ts";
import type { ChainsConfig } from "./config.ts";
import { INTENT_TYPES, takeIntents } from "./consumers/take-intents.ts";
import { SUBMISSION_TYPES, takeSubmissions } from "./consumers/take-submissions.ts";
import { takeWatches, WATCH_TYPES } from "./consumers/take-watches.ts";
import type { Deps } from "./deps.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { createFollower } from "./head/follower.ts";
import { startForgettingRefuted } from "./jobs/forget-refuted.ts";
import { startVerifying } from "./jobs/verify.ts";
import { abandonedTotal } from "./metrics.ts";
import { createEndpoint } from "./providers/endpoint.ts";
import { createProviders } from "./providers/providers.ts";
import { startSending } from "./sending/start-sending.ts";
import { chainsService } from "./service.ts";
import { openSigners } from "./signing/open-signers.ts";
import { findClaimants } from "./storage/claimants.ts";
import { abandonForgotten } from "./storage/internal.ts";
import { purgeWatches } from "./storage/watches.ts";
import { createChainHeadCaches } from "./verification/chain-head-cache.ts";
import { createCodes } from "./verification/codes.ts";
import { createSignatures } from "./verification/signatures.ts";
import type { Verifier } from "./verification/verifier.ts";

/** Of chains that are configured no longer. */
const NATIVE_DECIMALS = 18;
const PROVE_INTERVAL_MS = 10_000;
const FORGET_INTERVAL_MS = 3_600_000;
const REFUTED_KEPT_MS = 90 * 86_400_000;

export async function startChains(
  config: ChainsConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> {
  const chains = configuredChains(config);
  const signers = await openSigners(config.CHAINS_SIGNERS, {
    chainIds: new Set(chains.map(({ chainId }) => chainId)),
    timeoutMs: config.CHAINS_RPC_TIMEOUT_MS,
  });
  const { db, lists } = await openListedDatabase({
    service: "chains",
    config,
    home: new URL("..", import.meta.url),
    runtime,
  });
  const prisma = new PrismaClient({ adapter: db.adapter });
  const providers = new Map(
    chains.map((chain) => [chain.chainId, openProviders(chain, config, runtime)]),
  );
  const { clock, log } = runtime;
  const catalog = createCatalog({ prisma, chains, providers, clock, log });
  await catalog.register();
  await keepProven(catalog, runtime);

  const relay = startRelay({ db, bus, runtime });
  const verifiers = chains.flatMap((chain) => {
    const ofChain = providers.get(chain.chainId);
    return ofChain === undefined
      ? []
      : createVerifier({ chain, providers: ofChain, catalog, db, clock, config });
  });
  const jobs = startAll(verifiers, config, db, runtime, () => relay.wake());
  const following = new Map(
    verifiers.map((verifier) => {
      const onFound = () => {
        relay.wake();
        jobs.get(verifier.chain.chainId)?.wake();
      };
      return [verifier.chain.chainId, startFollowing({ verifier, config, db, runtime, onFound })];
    }),
  );
  const wakeSending = startSending({
    ...{ signers, verifiers, pool: db.pool, runtime },
    intervalMs: config.CHAINS_VERIFY_INTERVAL_MS,
    onWritten: () => relay.wake(),
    onMined: (chainId) => jobs.get(chainId)?.wake(),
  });
  startBooks(verifiers, config, db, runtime);
  startForgetting(db, [...providers.keys()], runtime);
  startPurging(db, runtime);
  startForgettingRefuted(db.pool, runtime, {
    keptMs: REFUTED_KEPT_MS,
    intervalMs: FORGET_INTERVAL_MS,
  });
  const touched = new Set<number>();
  const opened = new Set<number>();
  let isToSend = false;
  await consume({
    bus,
    db,
    runtime,
    consumer: "chains",
    types: [...new Set([...SUBMISSION_TYPES, ...WATCH_TYPES, ...INTENT_TYPES])],
    handle: async (events, tx) => {
      const watched = await takeWatches(tx, events, clock.now());
      for (const id of watched.opened) opened.add(id);
      for (const id of watched.touched) touched.add(id);
      for (const id of await takeSubmissions(tx, events, clock.now())) touched.add(id);
      isToSend = (await takeIntents(tx, events, clock.now())) || isToSend;
    },
    afterCommit: () => {
      relay.wake();
      for (const id of touched) jobs.get(id)?.wake();
      touched.clear();
      for (const id of opened) following.get(id)?.wake();
      opened.clear();
      if (isToSend) wakeSending();
      isToSend = false;
    },
  });
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  const codes = createCodes(providers, clock);
  const deps: Deps = {
    ...{ pool: db.pool, lists, prisma, catalog },
    ...{ codes, signatures: createSignatures(providers, codes) },
    ...{ feeTokens: feeTokensOf(chains), walletCodes: config.CHAINS_WALLET_CODES },
    finalityOf: (chainId) => byId.get(chainId)?.finality,
    decimalsOf: (chainId, currency) =>
      catalog.tokensOf(chainId).get(currency) ??
      byId.get(chainId)?.nativeDecimals ??
      NATIVE_DECIMALS,
  };
  return serve({
    runtime,
    port: config.CHAINS_GRPC_PORT,
    services: [implement(ChainsService, chainsService(deps))],
  });
}

function createVerifier({
  chain,
  providers,
  catalog,
  db,
  clock,
  config,
}: Pick<Verifier, "chain" | "providers" | "clock"> & {
  catalog: Catalog;
  db: Database;
  config: ChainsConfig;
}): Verifier {
  return {
    chain,
    providers,
    headCacheOf: createChainHeadCaches(chain.finality, chain.blockTimeMs),
    clock,
    signingMs: config.CHAINS_SIGNING_TIME_MS,
    tokens: () => catalog.tokensOf(chain.chainId),
    claimants: (group, claimed) => findClaimants(db.pool, group, claimed),
  };
}

/** One job per chain, so that a slow chain holds up no other. */
function startAll(
  verifiers: readonly Verifier[],
  config: ChainsConfig,
  db: Database,
  runtime: Runtime,
  onWritten: () => void,
): Map<number, Job> {
  return new Map(
    verifiers.map((verifier) => {
      const job = startVerifying({
        ...{ verifier, pool: db.pool, runtime, onWritten },
        intervalMs: config.CHAINS_VERIFY_INTERVAL_MS,
        concurrency: config.CHAINS_VERIFY_CONCURRENCY,
      });
      return [verifier.chain.chainId, job];
    }),
  );
}

const RENEW_MS = 1_000;
const POLL_MIN_MS = 250;
const POLL_MAX_MS = 2_000;

function startFollowing({
  verifier: { chain, providers, tokens, clock },
  config,
  db,
  runtime,
  onFound,
}: {
  verifier: Verifier;
  config: ChainsConfig;
  db: Database;
  runtime: Runtime;
  onFound: () => void;
}): Job {
  const { log, stopping } = runtime;
  const { pool } = db;
  const follower = createFollower({
    chain,
    providers,
    tokens,
    pool,
    clock,
    log,
    stopping,
    onFound,
  });
  // Stops after the jobs below: the last round must not write after its lease is given away.
  runtime.onStop(`lease on chain ${chain.chainId}`, () => follower.release());
  const byBlockTime = Math.min(Math.max(chain.blockTimeMs / 2, POLL_MIN_MS), POLL_MAX_MS);
  const following = every({
    name: `following of chain ${chain.chainId}`,
    intervalMs: config.CHAINS_FOLLOW_INTERVAL_MS || byBlockTime,
    runtime,
    act: () => follower.round(),
  });
  every({
    name: `renewal of the lease on chain ${chain.chainId}`,
    intervalMs: RENEW_MS,
    runtime,
    act: async () => {
      if (await follower.renew()) following.wake();
    },
  });
  return following;
}

const WATCHED_AFTER_EXPIRY_MS = 24 * 3_600_000;
const PURGE_INTERVAL_MS = 600_000;
const PURGE_MAX = 5_000;

/** A payment that was not paid is watched for a day after its expiry. */
function startPurging(db: Database, runtime: Runtime): void {
  const job = every({
    name: "purge of watches",
    intervalMs: PURGE_INTERVAL_MS,
    runtime,
    act: async () => {
      const expiredBefore = new Date(runtime.clock.now().getTime() - WATCHED_AFTER_EXPIRY_MS);
      const purged = await purgeWatches(db.pool, { expiredBefore, max: PURGE_MAX });
      if (purged === PURGE_MAX) job.wake();
    },
  });
}

function startForgetting(db: Database, chainIds: readonly number[], runtime: Runtime): void {
  every({
    name: "end of candidates on chains without a provider",
    intervalMs: FORGET_INTERVAL_MS,
    runtime,
    act: async () => {
      const forgotten = await abandonForgotten(db.pool, { chainIds, now: runtime.clock.now() });
      abandonedTotal.inc(forgotten);
      if (forgotten > 0)
        runtime.log.warn({ forgotten }, "hashes on chains without a provider were given up");
    },
  });
}

/** Not at once: a process that starts has more urgent questions for its providers. */
function startBooks(
  verifiers: readonly Verifier[],
  { CHAINS_BOOKS_INTERVAL_MS: intervalMs }: ChainsConfig,
  { pool }: Database,
  runtime: Runtime,
): void {
  const { clock, log, stopping } = runtime;
  for (const { chain, providers } of verifiers) {
    const keep = createBookKeeper({ chain, providers, pool, clock, log, stopping });
    let isFirst = true;
    every({
      ...{ name: `books of chain ${chain.chainId}`, intervalMs, runtime },
      act: async () => {
        if (!isFirst) await keep();
        isFirst = false;
      },
    });
  }
}

function openProviders(chain: ConfiguredChain, config: ChainsConfig, runtime: Runtime) {
  const { chainId, providerUrls } = chain;
  const endpoints = providerUrls.map((url, index) =>
    createEndpoint({
      name: `provider ${index + 1} of chain ${chainId}`,
      url,
      timeoutMs: config.CHAINS_RPC_TIMEOUT_MS,
      responseBytesMax: config.CHAINS_RPC_RESPONSE_BYTES_MAX,
    }),
  );
  const providers = createProviders({ chainId, endpoints, clock: runtime.clock, log: runtime.log });
  runtime.onStop(`providers of chain ${chainId}`, () => providers.close());
  return providers;
}

/** The first round comes before the service answers, so that a fresh start offers its chains at once. */
async function keepProven(catalog: Catalog, runtime: Runtime): Promise<void> {
  await catalog.prove();
  every({
    name: "proof of chains and tokens",
    intervalMs: PROVE_INTERVAL_MS,
    runtime,
    act: () => catalog.prove(),
  });
}
