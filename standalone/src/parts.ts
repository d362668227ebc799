// The real parts a local product stands on. Each is started here unless the environment already names one.
import { join } from "node:path";
import { migrate } from "@pay/database";
import { deployTestToken, freePort, startAnvil, startKafka, startPostgres } from "@pay/embedded";
import type { Log } from "@pay/process";
import type { DataFolder } from "./data-folder.ts";
import { schemaOf } from "./schemas.ts";
import { SERVICE_NAMES, type ServiceName } from "./service-names.ts";

export type Environment = Record<string, string | undefined>;

export interface Parts {
  /** Variables that lead the services to the parts. */
  environment: Environment;
  rpcUrl: string;
  chainId: number;
  tokenAddress: string;
}

type OnStop = (name: string, stop: () => Promise<void>) => void;

interface Start {
  folder: DataFolder;
  given: Environment;
  log: Log;
  say: (line: string) => void;
  onStop: OnStop;
}

export const startParts = async (start: Start, needs: { kafka: boolean }): Promise<Parts> => {
  const [databases, chain, kafka] = await Promise.all([
    startDatabases(start),
    startChain(start),
    needs.kafka ? startBroker(start) : {},
  ]);
  return { ...chain, environment: { ...databases, ...chain.environment, ...kafka } };
};

const urlVariable = (name: ServiceName) => `${name.toUpperCase()}_DATABASE_URL`;

const startDatabases = async ({ folder, given, log, say, onStop }: Start): Promise<Environment> => {
  const missing = SERVICE_NAMES.filter((name) => !given[urlVariable(name)]);
  const environment: Environment = {};
  if (missing.length > 0) {
    const postgres = await startPostgres({ dataDir: join(folder.path, "postgres") });
    onStop("postgres", () => postgres.stop());
    say("postgres is up");
    for (const name of missing) {
      environment[urlVariable(name)] = await postgres.provide(name);
    }
  }
  const applied = await Promise.all(
    SERVICE_NAMES.map(async (name) => {
      const url = given[urlVariable(name)] ?? environment[urlVariable(name)] ?? "";
      return (await migrate({ url, ...schemaOf(name), log })).length;
    }),
  );
  const count = applied.reduce((sum, n) => sum + n, 0);
  say(
    count === 0 ? "databases are up to date" : `databases are ready (${count} migrations applied)`,
  );
  return environment;
};

const CHAIN_ID = 31_337;
const BLOCK_TIME_SECONDS = 12;
const TOKEN = { symbol: "TUSD", name: "Test Dollar", decimals: 6, supply: 10n ** 15n };

const startChain = async ({ folder, given, say, onStop }: Start): Promise<Parts> => {
  const anvil = await startAnvil({
    stateFile: join(folder.path, "chain.json"),
    chainId: CHAIN_ID,
    blockTimeSeconds: BLOCK_TIME_SECONDS,
    // The address stays the same over starts, so that wallets and scripts may keep it.
    port: folder.read<{ port: number }>("chain-port.json")?.port ?? (await freePort()),
  });
  onStop("chain", () => anvil.stop());
  folder.writePrivate("chain-port.json", { port: anvil.port });
  const token = await deployTestToken(anvil.rpcUrl, TOKEN);
  say("chain is up");
  return {
    rpcUrl: anvil.rpcUrl,
    chainId: CHAIN_ID,
    tokenAddress: token.address,
    environment: {
      CHAINS_LOCAL_RPC_URL: given.CHAINS_LOCAL_RPC_URL ?? anvil.rpcUrl,
      CHAINS_LOCAL_CHAIN_ID: `${CHAIN_ID}`,
      CHAINS_LOCAL_TOKENS: JSON.stringify([
        {
          symbol: TOKEN.symbol,
          name: TOKEN.name,
          address: token.address,
          decimals: TOKEN.decimals,
        },
      ]),
    },
  };
};

const startBroker = async ({ folder, given, say, onStop }: Start): Promise<Environment> => {
  if (given.KAFKA_BROKERS) return {};
  const kafka = await startKafka({ dataDir: join(folder.path, "kafka"), log: say });
  onStop("kafka", () => kafka.stop());
  say("kafka is up");
  return { KAFKA_BROKERS: kafka.brokers.join(",") };
};
