// How many refunds a second does the service sign and store itself, and is each of them mined exactly once, also while
// its providers fail for one question in twenty? Real PostgreSQL, a real node, all on this machine.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { chainsConfig, developmentKeystore, startChains } from "@pay/chains";
import { type Database, findMigrationFiles, migrate, openDatabase } from "@pay/database";
import { callNode, startAnvil, startPostgres } from "@pay/embedded";
import { type Bus, createLocalBus, outboxRow } from "@pay/events";
import { createTestRuntime, type Lifecycle, readConfig } from "@pay/process";
import { Mode } from "@pay/proto";
import { newId } from "@pay/values";
import { figure } from "./figures.ts";
import { mineInBlocks } from "./parts/block-node.ts";
import { startFaultyNode } from "./parts/faulty-node.ts";
import { withUndo } from "./parts/with-undo.ts";

const REFUNDS = 1_000;
const FAULT_SHARE = 0.05;
const PROVIDERS = 3;
/** The node of the bench keeps any number of one sender. */
const IN_FLIGHT = 128;
const BLOCK_MS = 50;
const CHAIN_ID = 31_337;
const PHRASE = "test test test test test test test test test test test junk";
const PASSPHRASE = "of a development chain";
const PROJECT = newId("proj");
const WAIT_MAX_MS = 600_000;
const SERVICE = join(import.meta.dirname, "..", "services", "chains");

export async function run(): Promise<void> {
  const healthy = await send({ share: 0 });
  figure("send.intents_per_s", healthy.signedPerS, "intents/s");
  figure("send.mined_per_s", healthy.minedPerS, "transfers/s");
  const faulty = await send({ share: FAULT_SHARE });
  figure("send.intents_per_s_with_faults", faulty.signedPerS, "intents/s");
  figure("send.mined_exactly_once", faulty.minedOnce, `of ${REFUNDS} with faults`);
}

async function send({ share }: { share: number }) {
  return withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "pay-bench-send-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    undo.push(() => postgres.stop());
    const anvil = await startAnvil({ chainId: CHAIN_ID });
    undo.push(() => anvil.stop());
    const node = await mineInBlocks(anvil.rpcUrl, BLOCK_MS);
    undo.push(() => node.stop());
    const life = createTestRuntime("bench");
    undo.push(() => life.stop());
    const url = await postgres.provide("chains");
    await migrate({ url, ...findMigrationFiles(SERVICE), log: life.log });
    const db = openDatabase({ url, poolMax: 2, runtime: life });
    const providers = await Promise.all(
      Array.from({ length: share === 0 ? 1 : PROVIDERS }, (_, seed) =>
        startFaultyNode(node.ask, { share, seed }),
      ),
    );
    undo.push(() => Promise.all(providers.map((provider) => provider.stop())));
    const bus = createLocalBus();
    const urls = providers.map((provider) => provider.url);
    const source = await startSender({ folder, url, urls, life, bus });
    return await measure({ db, bus, source, rpcUrl: anvil.rpcUrl });
  });
}

interface Surroundings {
  folder: string;
  url: string;
  urls: readonly string[];
  life: Lifecycle;
  bus: Bus;
}

async function startSender({ folder, url, urls, life, bus }: Surroundings): Promise<string> {
  const made = await developmentKeystore(PHRASE, { account: 3, passphrase: PASSPHRASE });
  const [keystoreFile, passphraseFile] = [join(folder, "key.json"), join(folder, "passphrase")];
  await writeFile(keystoreFile, made.keystore);
  await writeFile(passphraseFile, PASSPHRASE);
  const [first, ...others] = urls;
  const signer = {
    projectId: PROJECT,
    mode: "test",
    chainId: CHAIN_ID,
    address: made.address,
    keystoreFile,
    passphraseFile,
    refundsTo: "anyone",
    inFlightMax: IN_FLIGHT,
    limits: { native: { transactionMax: "1", dayMax: "1" } },
  };
  const config = readConfig(chainsConfig, {
    CHAINS_DATABASE_URL: url,
    CHAINS_GRPC_PORT: "0",
    // Nothing here is paid, so no payment is looked for.
    PAYMENTS_ADDRESS: "127.0.0.1:1",
    CHAINS_LOCAL: JSON.stringify({ rpcUrl: first }),
    CHAINS_PROVIDERS: JSON.stringify(others.length === 0 ? {} : { [CHAIN_ID]: others }),
    CHAINS_SIGNERS: JSON.stringify([signer]),
  });
  await startChains(config, life, { bus });
  return made.address;
}

async function measure({
  db,
  bus,
  source,
  rpcUrl,
}: {
  db: Database;
  bus: Bus;
  source: string;
  rpcUrl: string;
}) {
  const destinations = Array.from({ length: REFUNDS }, (_, at) => makeAddress(at));
  const begun = performance.now();
  await bus.publish(destinations.map((destination) => refund(source, destination)));
  const signedMs = await untilCount(
    db,
    begun,
    "select count(*)::int as n from signed_transactions",
  );
  const provenMs = await untilCount(
    db,
    begun,
    "select count(*)::int as n from submissions where outcome = 'counted'",
  );
  const sent = Number(await callNode(rpcUrl, "eth_getTransactionCount", [source, "latest"]));
  let minedOnce = 0;
  for (const destination of destinations) {
    const balance = await callNode(rpcUrl, "eth_getBalance", [destination, "latest"]);
    if (BigInt(balance as string) === 1n) minedOnce++;
  }
  if (sent !== REFUNDS) throw new Error(`${sent} transactions were mined for ${REFUNDS} refunds`);
  const perS = (ms: number) => (REFUNDS * 1_000) / ms;
  return { signedPerS: perS(signedMs), minedPerS: perS(provenMs), minedOnce };
}

function makeAddress(at: number): string {
  return `0xbe${at.toString(16).padStart(38, "0")}`;
}

function refund(source: string, destination: string) {
  const id = newId("refund");
  const value = {
    id,
    paymentId: newId("pay"),
    chainId: BigInt(CHAIN_ID),
    currency: "native",
    baseAmount: "1",
    decimals: 18,
    serviceSigned: true,
    version: 1,
    sourceAddress: source,
    destinationAddress: destination,
    createdAt: timestampFromDate(new Date()),
  };
  return outboxRow({
    type: "refund.created",
    projectId: PROJECT,
    mode: Mode.TEST,
    resourceId: id,
    resource: { case: "refund", value },
  });
}

/** Milliseconds until all have come. */
async function untilCount(db: Database, begun: number, query: string): Promise<number> {
  while (performance.now() - begun < WAIT_MAX_MS) {
    const { rows } = await db.pool.query<{ n: number }>(query);
    if ((rows[0]?.n ?? 0) >= REFUNDS) return performance.now() - begun;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not all refunds were sent within ${WAIT_MAX_MS / 1_000} s`);
}
