// The real parts that a local product needs. Each is started here unless the environment names one.
import { join } from "node:path";
import { migrate } from "@pay/database";
import {
  callNode,
  deployOnce,
  deployTestToken,
  PortTaken,
  startAnvil,
  startKafka,
  startPostgres,
} from "@pay/embedded";
import type { Log } from "@pay/process";
import { DEPOSIT_FACTORY, DEPOSIT_FACTORY_INPUT } from "@pay/values";
import { z } from "zod";
import { type DataFolder, StartFault } from "./data-folder.ts";
import { getSchema, SERVICE_NAMES, type ServiceName } from "./service-names.ts";

const CONNECT_TIMEOUT_SECONDS = 15;

export type Environment = Record<string, string | undefined>;

export interface Parts {
  /** Variables with the addresses of the parts. */
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

export async function startParts(start: Start, needs: { kafka: boolean }): Promise<Parts> {
  const [databases, chain, kafka] = await Promise.all([
    startDatabases(start),
    startChain(start),
    needs.kafka ? startBroker(start) : {},
  ]);
  return { ...chain, environment: { ...databases, ...chain.environment, ...kafka } };
}

function urlVariable(name: ServiceName) {
  return `${name.toUpperCase()}_DATABASE_URL`;
}

/** Everything starts at once on one machine, so that a connection may take longer than between servers. */
function patient(url: string): string {
  const other = new URL(url);
  other.searchParams.set("connect_timeout", `${CONNECT_TIMEOUT_SECONDS}`);
  return other.href;
}

async function startDatabases({ folder, given, log, say, onStop }: Start): Promise<Environment> {
  const missing = SERVICE_NAMES.filter((name) => !given[urlVariable(name)]);
  const environment: Environment = {};
  if (missing.length > 0) {
    const postgres = await startPostgres({ dataDir: join(folder.path, "postgres") });
    onStop("postgres", () => postgres.stop());
    say("postgres is up");
    for (const name of missing) {
      environment[urlVariable(name)] = patient(await postgres.provide(name));
    }
  }
  const applied = await Promise.all(
    SERVICE_NAMES.map(async (name) => {
      const url = given[urlVariable(name)] ?? environment[urlVariable(name)] ?? "";
      return (await migrate({ url, ...getSchema(name), log })).length;
    }),
  );
  const count = applied.reduce((sum, n) => sum + n, 0);
  say(
    count === 0 ? "databases are up to date" : `databases are ready (${count} migrations applied)`,
  );
  return environment;
}

const CHAIN_ID = 31_337;
const BLOCK_TIME_SECONDS = 12;
const TOKEN = { symbol: "TUSD", name: "Test Dollar", decimals: 6, supply: 10n ** 15n };

/** A chain that is there; its id is what it says itself. */
const outsideChain = z.strictObject({
  rpcUrl: z.string().min(1),
  chainId: z.int().optional(),
  tokens: z.array(z.unknown()).optional(),
});

function readOutside({ CHAINS_LOCAL: text }: Environment) {
  if (!text) return undefined;
  try {
    return outsideChain.parse(JSON.parse(text));
  } catch {
    throw new StartFault('CHAINS_LOCAL must be JSON like {"rpcUrl": "http://127.0.0.1:8545"}');
  }
}

async function startChain(start: Start): Promise<Parts> {
  const { given, say } = start;
  const outside = readOutside(given);
  const rpcUrl = outside?.rpcUrl ?? (await startOwnChain(start));
  const chainId = outside === undefined ? CHAIN_ID : await getId(rpcUrl);
  const named = outside?.tokens;
  const token = named === undefined ? await testTokenOn(rpcUrl) : undefined;
  if (token === undefined && outside === undefined) {
    throw new StartFault("the chain took no test token");
  }
  say(outside === undefined ? "chain is up" : `chain ${chainId} is the one of CHAINS_LOCAL`);
  const tokens = named ?? (token === undefined ? [] : [token]);
  return {
    rpcUrl,
    chainId,
    tokenAddress: token?.address ?? "",
    environment: { CHAINS_LOCAL: JSON.stringify({ rpcUrl, chainId, tokens }) },
  };
}

async function getId(rpcUrl: string): Promise<number> {
  const id = await callNode(rpcUrl, "eth_chainId").catch(() => undefined);
  if (id === undefined) throw new StartFault("no chain answers at the rpcUrl of CHAINS_LOCAL");
  return Number(id);
}

/** Undefined on a chain without unlocked accounts: CHAINS_LOCAL names its tokens. */
async function testTokenOn(rpcUrl: string) {
  const { symbol, name, decimals } = TOKEN;
  try {
    const { address, holder } = await deployTestToken(rpcUrl, TOKEN);
    await deployOnce(rpcUrl, {
      address: DEPOSIT_FACTORY,
      input: DEPOSIT_FACTORY_INPUT,
      from: holder,
    });
    return { symbol, name, address, decimals };
  } catch {
    return undefined;
  }
}

async function startOwnChain({ folder, say, onStop }: Start): Promise<string> {
  function start(port = 0) {
    return startAnvil({
      stateFile: join(folder.path, "chain.json"),
      chainId: CHAIN_ID,
      blockTimeSeconds: BLOCK_TIME_SECONDS,
      port,
    });
  }

  // The address is the same at every start, so that wallets and scripts can store it.
  const kept = folder.read<{ port: number }>("chain-port.json")?.port;
  const anvil = await start(kept).catch((error: unknown) => {
    if (!(error instanceof PortTaken)) throw error;
    say(`${error.message}; the chain has another one from now on`);
    return start();
  });
  onStop("chain", () => anvil.stop());
  folder.writePrivate("chain-port.json", { port: anvil.port });
  return anvil.rpcUrl;
}

async function startBroker({ folder, given, say, onStop }: Start): Promise<Environment> {
  if (given.KAFKA_BROKERS) return {};
  const kafka = await startKafka({ dataDir: join(folder.path, "kafka"), log: say });
  onStop("kafka", () => kafka.stop());
  say("kafka is up");
  return { KAFKA_BROKERS: kafka.brokers.join(",") };
}
