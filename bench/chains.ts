// How fast is a chain followed that is far ahead, beside a raw loop over the same blocks in the same run, with how many calls,
// and how many submitted hashes a second get their verdict? Real PostgreSQL, a real node, all on this machine.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { chainsConfig, startChains } from "@pay/chains";
import { migrate, migrationFilesOf, openDatabase } from "@pay/database";
import { callNode, startPostgres } from "@pay/embedded";
import { createLocalBus, outboxRow } from "@pay/events";
import { createTestRuntime, readConfig } from "@pay/process";
import { Mode } from "@pay/proto";
import { newId } from "@pay/values";
import type { Pool } from "pg";
import { followRaw } from "./baselines/raw-logs.ts";
import { figure, median } from "./figures.ts";
import {
  addressOf,
  type BusyChain,
  type Mined,
  startBusyChain,
  TRANSFERS_PER_BLOCK,
} from "./parts/busy-chain.ts";
import { startCountingNode } from "./parts/counting-node.ts";
import { withUndo } from "./parts/with-undo.ts";

const CHAIN_ID = 31_337;
const BLOCKS = 1_000;
const WATCHES = 10_000;
/** Of the watched payments so many are paid without a hash; so many others by a submitted one. */
const FOUND = 100;
const CLAIMED = 500;
const RUNS = 3;
const WAIT_MAX_MS = 600_000;
const LIFETIME_MS = 6 * 3_600_000;
const SERVICE = join(import.meta.dirname, "..", "services", "chains");
const PROJECT = newId("proj");

interface Order {
  id: string;
  recipient: string;
  amount: bigint;
}

interface Terrain {
  chain: BusyChain;
  databaseUrl: string;
  pool: Pool;
  /** The block at which following begins, and the last one. */
  start: { number: number; hash: string };
  last: number;
}

export async function run(): Promise<void> {
  await withUndo(async (undo) => {
    const folder = await mkdtemp(join(tmpdir(), "pay-bench-chains-"));
    undo.push(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startPostgres({ dataDir: join(folder, "postgres") });
    undo.push(() => postgres.stop());
    const chain = await startBusyChain(CHAIN_ID);
    undo.push(() => chain.stop());
    const life = createTestRuntime("bench");
    undo.push(() => life.stop());
    const databaseUrl = await postgres.provide("chains");
    await migrate({ url: databaseUrl, ...migrationFilesOf(SERVICE), log: life.log });
    const { pool } = openDatabase({ url: databaseUrl, poolMax: 2, runtime: life });
    await measure({ chain, databaseUrl, pool });
  });
}

async function measure(parts: Pick<Terrain, "chain" | "databaseUrl" | "pool">): Promise<void> {
  const { chain, pool } = parts;
  const watched = ordersOf(WATCHES, "aa");
  const claimed = ordersOf(CLAIMED, "cc");
  await watch(parts, watched);
  const { rows } = await pool.query("select head_number, head_hash from cursors");
  const start = { number: Number(rows[0].head_number), hash: rows[0].head_hash as string };
  const paid = watched.filter((_, at) => at % (WATCHES / FOUND) === 0);
  const mined = await chain.mine(BLOCKS, [...paid, ...claimed]);
  const last = Number(await callNode(chain.anvil.rpcUrl, "eth_blockNumber"));
  const terrain: Terrain = { ...parts, start, last };

  const terms = {
    ...{ rpcUrl: chain.anvil.rpcUrl, token: chain.token.address },
    ...{ from: start.number + 1, to: last, expected: FOUND },
    recipients: new Set(watched.map(({ recipient }) => recipient)),
  };
  const ours: number[] = [];
  const raw: number[] = [];
  for (let nth = 0; nth < RUNS; nth++) {
    raw.push(await followRaw(pool, terms));
    ours.push(await follow(terrain, chain.anvil.rpcUrl));
  }
  const transfers = BLOCKS * TRANSFERS_PER_BLOCK;
  figure("chains.raw_transfers_per_s", (transfers * 1_000) / median(raw), "transfers/s");
  figure("chains.transfers_per_s", (transfers * 1_000) / median(ours), "transfers/s");
  figure("chains.ratio_to_raw", median(raw) / median(ours), "times");
  await countCalls(terrain);
  figure("chains.claims_per_s", await judge(terrain, claimed, mined), "hashes/s");
}

function ordersOf(count: number, name: string): Order[] {
  return Array.from({ length: count }, (_, nth) => ({
    ...{ id: newId("pay"), amount: BigInt(1_000 + nth) },
    recipient: addressOf(`${name}${nth.toString(16).padStart(8, "0")}`),
  }));
}

/** A service that follows from the head of the chain on is given the payments, and stops. */
async function watch(
  { pool, ...parts }: Pick<Terrain, "chain" | "databaseUrl" | "pool">,
  orders: readonly Order[],
): Promise<void> {
  const service = await startService(parts, parts.chain.anvil.rpcUrl);
  for (let at = 0; at < orders.length; at += 500) {
    await service.publish(orders.slice(at, at + 500).map((order) => eventOf(parts.chain, order)));
  }
  await reached(pool, `select count(*) >= ${orders.length} as done from watches`);
  await reached(pool, "select watched_xid > 0 and head_hash is not null as done from cursors");
  await service.stop();
}

/** Milliseconds from the lease to the last block. */
async function follow(terrain: Terrain, rpcUrl: string): Promise<number> {
  const { pool, last } = terrain;
  await rewind(terrain);
  const starting = startService(terrain, rpcUrl);
  await reached(pool, "select leader is not null as done from cursors");
  const begun = performance.now();
  await reached(pool, `select head_number >= ${last} as done from cursors`);
  const tookMs = performance.now() - begun;
  const service = await starting;
  await reached(
    pool,
    `select count(*) = ${FOUND} as done from candidates where state = 'confirmed'`,
  );
  await service.stop();
  return tookMs;
}

async function countCalls(terrain: Terrain): Promise<void> {
  const node = await startCountingNode(terrain.chain.anvil.rpcUrl);
  try {
    await rewind(terrain);
    const starting = startService(terrain, node.url);
    await reached(terrain.pool, "select leader is not null as done from cursors");
    const before = node.requests();
    await reached(terrain.pool, `select head_number >= ${terrain.last} as done from cursors`);
    const calls = ((node.requests() - before) * 1_000) / BLOCKS;
    figure("chains.calls_per_1000_blocks", calls, "requests");
    await (await starting).stop();
  } finally {
    await node.stop();
  }
}

/** As before the blocks were followed. */
async function rewind({ pool, start }: Terrain): Promise<void> {
  await pool.query("truncate allocations, candidates, transfers, outbox cascade");
  await pool.query("delete from blocks where number > $1", [start.number]);
  await pool.query("update watches set state = 'open'");
  await pool.query(
    "update cursors set head_number = $1, head_hash = $2, final_number = null, leader = null",
    [start.number, start.hash],
  );
}

/** Submitted hashes that are judged in a second. */
async function judge(
  terrain: Terrain,
  orders: readonly Order[],
  mined: readonly Mined[],
): Promise<number> {
  const { pool, chain } = terrain;
  const hashes = new Map(mined.map(({ recipient, txHash }) => [recipient, txHash]));
  const service = await startService(terrain, chain.anvil.rpcUrl);
  const begun = performance.now();
  await service.publish(
    orders.map((order) => eventOf(chain, order, hashes.get(order.recipient) ?? "")),
  );
  const done = `select count(*) = ${CLAIMED} as done from candidates where not found and state = 'confirmed'`;
  await reached(pool, done);
  const perS = (CLAIMED * 1_000) / (performance.now() - begun);
  await service.stop();
  return perS;
}

async function startService(
  { chain, databaseUrl }: Pick<Terrain, "chain" | "databaseUrl">,
  rpcUrl: string,
) {
  const life = createTestRuntime("bench");
  const bus = createLocalBus();
  const config = readConfig(chainsConfig, {
    CHAINS_DATABASE_URL: databaseUrl,
    CHAINS_GRPC_PORT: "0",
    CHAINS_LOCAL_RPC_URL: rpcUrl,
    CHAINS_LOCAL_TOKENS: JSON.stringify([chain.token]),
  });
  await startChains(config, life, { bus });
  return { publish: bus.publish, stop: () => life.stop() };
}

const CREATED = new Date();

function eventOf(chain: BusyChain, { id, recipient, amount }: Order, txHash?: string) {
  const value = {
    ...{ id, chainId: BigInt(CHAIN_ID), currency: chain.token.address },
    ...{ recipientAddress: recipient, baseAmount: `${amount}` },
    ...{ createdAt: timestampFromDate(CREATED), version: txHash === undefined ? 1 : 2 },
    expiresAt: timestampFromDate(new Date(CREATED.getTime() + LIFETIME_MS)),
    ...(txHash === undefined ? {} : { txHash }),
  };
  return outboxRow({
    type: txHash === undefined ? "payment.created" : "payment.processing",
    ...{ projectId: PROJECT, mode: Mode.TEST, resourceId: id, requestId: "bench" },
    resource: { case: "payment", value },
  });
}

async function reached(pool: Pool, query: string): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < WAIT_MAX_MS) {
    const { rows } = await pool.query<{ done: boolean }>(query);
    if (rows[0]?.done === true) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`not within ${WAIT_MAX_MS / 1_000} s: ${query}`);
}
