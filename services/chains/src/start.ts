import { awaitSchema, type Database, openDatabase } from "@pay/database";
import { type Bus, consume, startRelay, TOPICS } from "@pay/events";
import { type Clock, every, type Job, type Runtime } from "@pay/process";
import { ChainsService } from "@pay/proto";
import { implement, serve } from "@pay/rpc";
import { type Catalog, createCatalog } from "./catalog/catalog.ts";
import { type ConfiguredChain, configuredChains } from "./catalog/configured.ts";
import type { ChainsConfig } from "./config.ts";
import { takeSubmissions } from "./consumers/submissions.ts";
import { PrismaClient } from "./generated/prisma/client.ts";
import { startVerifying } from "./jobs/verify.ts";
import { createEndpoint } from "./rpc/endpoint.ts";
import { createProviders, type Providers } from "./rpc/providers.ts";
import { chainsService } from "./service.ts";
import { abandonForgotten, findNeighbourhood } from "./storage.ts";
import type { Examiner } from "./verify/examine.ts";
import { createViews } from "./verify/view.ts";

const PROVE_INTERVAL_MS = 10_000;
const FORGET_INTERVAL_MS = 3_600_000;

export const startChains = async (
  config: ChainsConfig,
  runtime: Runtime,
  { bus }: { bus: Bus },
): Promise<{ address: string }> => {
  const chains = configuredChains(config);
  const db = openDatabase({
    url: config.CHAINS_DATABASE_URL,
    poolMax: config.CHAINS_DATABASE_POOL_MAX,
    applicationName: "chains",
    runtime,
  });
  const home = new URL("..", import.meta.url);
  await awaitSchema({ db, runtime, home, variable: "CHAINS_DATABASE_URL" });
  const prisma = new PrismaClient({ adapter: db.adapter });
  const providers = new Map(
    chains.map((chain) => [chain.chainId, openProviders(chain, config, runtime)]),
  );
  const { clock, log } = runtime;
  const catalog = createCatalog({ prisma, chains, providers, clock, log });
  await catalog.register();
  await keepProven(catalog, runtime);

  const relay = startRelay({ db, bus, runtime });
  const examiners = chains.flatMap((chain) => {
    const ofChain = providers.get(chain.chainId);
    return ofChain === undefined ? [] : createExaminer(chain, ofChain, catalog, db, clock);
  });
  const jobs = startAll(examiners, config, db, runtime, () => relay.wake());
  startForgetting(db, [...providers.keys()], runtime);
  const touched = new Set<number>();
  await consume({
    bus,
    db,
    runtime,
    consumer: "chains",
    topics: [TOPICS.payments, TOPICS.refunds],
    handle: async (events, tx) => {
      for (const id of await takeSubmissions(tx, events, clock.now())) touched.add(id);
    },
    afterCommit: () => {
      for (const id of touched) jobs.get(id)?.wake();
      touched.clear();
    },
  });
  return serve({
    runtime,
    port: config.CHAINS_GRPC_PORT,
    services: [implement(ChainsService, chainsService({ pool: db.pool, prisma, catalog }))],
  });
};

const createExaminer = (
  chain: ConfiguredChain,
  providers: Providers,
  catalog: Catalog,
  db: Database,
  clock: Clock,
): Examiner => ({
  chain,
  providers,
  viewOf: createViews(chain.finality, chain.blockTimeMs),
  clock,
  tokens: () => catalog.tokensOf(chain.chainId),
  surroundings: (candidate, txHash) => findNeighbourhood(db.pool, candidate, txHash),
});

/** One job per chain, so that a slow chain holds up no other. */
const startAll = (
  examiners: readonly Examiner[],
  config: ChainsConfig,
  db: Database,
  runtime: Runtime,
  onSettled: () => void,
): Map<number, Job> =>
  new Map(
    examiners.map((examiner) => {
      const job = startVerifying({
        ...{ examiner, pool: db.pool, runtime, onSettled },
        intervalMs: config.CHAINS_VERIFY_INTERVAL_MS,
        concurrency: config.CHAINS_VERIFY_CONCURRENCY,
      });
      return [examiner.chain.chainId, job];
    }),
  );

const startForgetting = (db: Database, chainIds: readonly number[], runtime: Runtime): void => {
  every({
    name: "end of candidates on chains without a provider",
    intervalMs: FORGET_INTERVAL_MS,
    runtime,
    act: () => abandonForgotten(db.pool, { chainIds, now: runtime.clock.now() }),
  });
};

const openProviders = (chain: ConfiguredChain, config: ChainsConfig, runtime: Runtime) => {
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
};

/** The first round comes before the service answers, so that a fresh start offers its chains at once. */
const keepProven = async (catalog: Catalog, runtime: Runtime): Promise<void> => {
  await catalog.prove();
  every({
    name: "proof of chains and tokens",
    intervalMs: PROVE_INTERVAL_MS,
    runtime,
    act: () => catalog.prove(),
  });
};
