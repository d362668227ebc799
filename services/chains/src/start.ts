import { type Database, openListedDatabase } from "@pay/database";
import { createEgress, type Egress, toEgressOptions } from "@pay/egress";
import { type Bus, startRelay } from "@pay/events";
import { type Clock, every, type Job, type Runtime } from "@pay/process";
import { ChainsService, PaymentsService } from "@pay/proto";
import { type Client, connect, implement, serve } from "@pay/rpc";
import type { ChainId } from "@pay/values";
import { startCleaningWatches } from "./attribution/clean-up.ts";
import { createLearnOrders } from "./attribution/learn-orders.ts";
import { startTakingTurns } from "./attribution/take-turns.ts";
import { startBooks } from "./books/start-books.ts";
import { type Catalog, createCatalog } from "./catalog/catalog.ts";
import {
  type ConfiguredChain,
  configuredChains,
  parseFeeTokens,
} from "./catalog/configured-chains.ts";
import type { ChainsConfig } from "./config.ts";
import { startTakingEvents } from "./consumers/take-events.ts";
import { startReadingDeposits } from "./deposits/read-deposits.ts";
import type { Deps } from "./deps.ts";
import { startFollowing } from "./following/start-following.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { openSigners } from "./payouts/open-signers.ts";
import { isSponsor } from "./payouts/signer.ts";
import { startSending } from "./payouts/start-sending.ts";
import { NATIVE } from "./providers/domain/transfer.ts";
import { openProviders } from "./providers/providers.ts";
import { createAsk } from "./screening/ask.ts";
import { startScreeningPayers } from "./screening/screen-payers.ts";
import { chainsService } from "./service.ts";
import { createChainHeadCaches } from "./verification/chain-head-cache.ts";
import { startCleaningTransactions } from "./verification/clean-up.ts";
import { createCodes } from "./verification/contract-codes.ts";
import { createSignatures } from "./verification/signatures.ts";
import type { Verifier } from "./verification/verifier.ts";
import { startVerifying } from "./verification/verify.ts";

const PROVE_INTERVAL_MS = 10_000;

/** Bounds that no installation sets. Tests shorten them. */
const BOUNDS = {
  /** Of one call to a provider. */
  rpcTimeoutMs: 8_000,
  /** Of its response. */
  responseBytesMax: 32 * 1024 * 1024,
  /** Transactions of one chain that are verified in parallel. */
  verifyConcurrency: 16,
  /** Pause between two rounds of verification. */
  verifyIntervalMs: 500,
  /** Pause between two plans of the sweeps of a wallet. */
  planIntervalMs: 15_000,
  /** Pause between two requests for new blocks; 0: half the block time, 250 ms to 2 s. */
  followIntervalMs: 0,
  /** Time after a payment's end in which a hash waits for a signature. */
  signingTimeMs: 3_600_000,
};
export type Bounds = typeof BOUNDS;

export async function startChains(
  config: ChainsConfig,
  runtime: Runtime,
  { bus, bounds: shorter }: { bus: Bus; bounds?: Partial<Bounds> },
): Promise<{ address: string }> {
  const { clock, log } = runtime;
  const bounds = { ...BOUNDS, ...shorter };
  const { rpcTimeoutMs: timeoutMs, responseBytesMax } = bounds;
  const chains = configuredChains(config);
  const chainIds = chains.map(({ chainId }) => chainId);
  const signing = { chainIds: new Set(chainIds), timeoutMs, log };
  const signers = await openSigners(config.CHAINS_SIGNERS, signing);
  const { db, lists } = await openListedDatabase({
    service: "chains",
    config,
    home: new URL("..", import.meta.url),
    runtime,
  });
  const prisma = new PrismaClient({ adapter: db.adapter });
  const reached = chains.map((chain) => reach(chain, { timeoutMs, responseBytesMax }, runtime));
  const providers = new Map(reached.map((one) => [one.chain.chainId, one.providers]));
  const catalog = createCatalog({ prisma, chains, providers, clock, log });
  await catalog.register();
  await keepProven(catalog, runtime);

  const relay = startRelay({ db, bus, runtime });
  const verifiers = reached.map((one) => toVerifier(one, { catalog, clock }));
  const turns = startDeciding(verifiers, {
    payments: connect(PaymentsService, config.PAYMENTS_ADDRESS, runtime),
    bounds,
    db,
    runtime,
    verify: (id) => jobs.get(id)?.verifying.wake(),
    onWritten: () => relay.wake(),
    onToScreen: () => screening.wake(),
  });
  const ask = createAsk(providers, openEgress(config, runtime));
  const screening = startScreeningPayers({
    pool: db.pool,
    runtime,
    intervalMs: bounds.verifyIntervalMs,
    ask,
    onAnswered: () => turns.wake(),
  });
  const jobs = startChainJobs(verifiers, { bounds, db, runtime, onFound: () => turns.wake() });
  const wakeSending = startSending({
    signers,
    verifiers,
    pool: db.pool,
    prisma,
    runtime,
    intervalMs: bounds.verifyIntervalMs,
    planIntervalMs: bounds.planIntervalMs,
    onWritten: () => relay.wake(),
    onMined: (chainId) => jobs.get(chainId)?.verifying.wake(),
  });
  startBooks(verifiers, config.CHAINS_BOOKS_INTERVAL_MS, db, runtime);
  startReadingDeposits(verifiers, db.pool, runtime);
  startCleaning(db, chainIds, runtime);
  await startTakingEvents({
    bus,
    db,
    runtime,
    wakes: {
      turns: () => turns.wake(),
      verifying: (chainId) => jobs.get(chainId)?.verifying.wake(),
      following: (chainId) => jobs.get(chainId)?.following.wake(),
      sending: wakeSending,
    },
  });
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  const codes = createCodes(providers, clock);
  const deps: Deps = {
    pool: db.pool,
    clock,
    log,
    relay,
    lists,
    prisma,
    catalog,
    codes,
    ask,
    onScreened: () => turns.wake(),
    signatures: createSignatures(providers, codes),
    feeTokens: parseFeeTokens(chains),
    walletCodes: config.CHAINS_WALLET_CODES,
    getFinality: (chainId) => byId.get(chainId)?.finality,
    getProviders: (chainId) => providers.get(chainId),
    sponsors: new Map(signers.filter(isSponsor).map((signer) => [signer.chainId, signer])),
    wakeSending,
  };
  const services = [implement(ChainsService, chainsService(deps))];
  return serve({ runtime, port: config.CHAINS_GRPC_PORT, services });
}

function openEgress(config: ChainsConfig, runtime: Runtime): Egress {
  const egress = createEgress(toEgressOptions(config));
  runtime.onStop("requests to servers of merchants", egress.close);
  return egress;
}

function reach(
  chain: ConfiguredChain,
  limits: Parameters<typeof openProviders>[1],
  runtime: Runtime,
): Pick<Verifier, "chain" | "providers"> {
  return { chain, providers: openProviders(chain, limits, runtime) };
}

function toVerifier(
  reached: Pick<Verifier, "chain" | "providers">,
  { catalog, clock }: { catalog: Catalog; clock: Clock },
): Verifier {
  const { chainId, finality, blockTimeMs } = reached.chain;
  return {
    ...reached,
    clock,
    getHeadCache: createChainHeadCaches(finality, blockTimeMs),
    tokens: () => catalog.getTokens(chainId),
  };
}

function startCleaning(db: Database, chainIds: readonly ChainId[], runtime: Runtime): void {
  startCleaningTransactions(db.pool, chainIds, runtime);
  startCleaningWatches(db, runtime);
}

/** One loop for all chains: decisions call no provider. */
function startDeciding(
  verifiers: readonly Verifier[],
  {
    payments,
    bounds,
    db,
    runtime,
    verify,
    onWritten,
    onToScreen,
  }: Pick<JobOptions, "bounds" | "db" | "runtime"> & {
    payments: Client<typeof PaymentsService>;
    verify(chainId: ChainId): void;
    onWritten(): void;
    onToScreen(): void;
  },
): Job {
  const chains = verifiers.map(({ chain }) => chain);
  return startTakingTurns({
    pool: db.pool,
    runtime,
    intervalMs: bounds.verifyIntervalMs,
    signingMs: bounds.signingTimeMs,
    getDecimals: ({ chainId, currency }) => {
      const verifier = verifiers.find(({ chain }) => chain.chainId === chainId);
      return currency === NATIVE
        ? verifier?.chain.nativeDecimals
        : verifier?.tokens().get(currency);
    },
    blockTimes: new Map(chains.map(({ chainId, blockTimeMs }) => [chainId, blockTimeMs])),
    learnOrders: createLearnOrders({ pool: db.pool, runtime }, (wallets) =>
      payments.findOpenPayments({ wallets: [...wallets] }),
    ),
    onToVerify: (ids) => {
      for (const id of ids) verify(id);
    },
    onWritten,
    onToScreen,
  });
}

interface ChainJobs {
  verifying: Job;
  following: Job;
}

interface JobOptions {
  bounds: Bounds;
  db: Database;
  runtime: Runtime;
  onFound(): void;
}

/** Each chain has its own, so that a slow chain delays no other. */
function startChainJobs(
  verifiers: readonly Verifier[],
  { bounds, db, runtime, onFound }: JobOptions,
): Map<ChainId, ChainJobs> {
  function start(verifier: Verifier): ChainJobs {
    const verifying = startVerifying({
      verifier,
      pool: db.pool,
      runtime,
      onFound,
      intervalMs: bounds.verifyIntervalMs,
      concurrency: bounds.verifyConcurrency,
    });
    const following = startFollowing({
      verifier,
      db,
      runtime,
      intervalMs: bounds.followIntervalMs,
      onFound: () => {
        verifying.wake();
        onFound();
      },
    });
    return { verifying, following };
  }

  return new Map(verifiers.map((verifier) => [verifier.chain.chainId, start(verifier)]));
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
