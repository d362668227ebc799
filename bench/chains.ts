// How fast is a chain followed that is far ahead, beside a raw loop over the same blocks in the same run, with how many
// calls, how many submitted hashes a second get their outcome, how many blocks are read where native coin is watched,
// how soon is a block at the head, and its payment a webhook, and does dust delay others? Real PostgreSQL, a real node,
// all on this machine.
// `--part NAME` runs one of the parts. `--rpc URL` runs the part tokens on the chain of an anvil that runs already, and
// `--work FILE` writes what is to be found on it, so that another indexer can follow the same blocks.
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { callNode } from "@pay/embedded";
import { toReference, toReferenceSuffix } from "@pay/values";
import { followRaw } from "./baselines/raw-logs.ts";
import { figure, median } from "./figures.ts";
import {
  type BusyChain,
  type Mined,
  startBusyChain,
  TRANSFERS_PER_BLOCK,
} from "./parts/busy-chain.ts";
import { measureDust } from "./parts/chains-dust.ts";
import { measureHashes } from "./parts/chains-hashes.ts";
import { measureNative } from "./parts/chains-native.ts";
import {
  CHAIN_ID,
  followedPlace,
  makeOrders,
  type Order,
  openStage,
  type Place,
  reached,
  rewind,
  type Stage,
  startService,
  watch,
} from "./parts/chains-stage.ts";
import { measureTip } from "./parts/chains-tip.ts";
import { measureWebhooks } from "./parts/chains-webhook.ts";
import { startCountingNode } from "./parts/counting-node.ts";
import { withUndo } from "./parts/with-undo.ts";

const BLOCKS = 1_000;
const WATCHES = 10_000;
/** Of the watched payments so many are paid without a hash. */
const FOUND = 100;
/** Of those every tenth names its payment. */
const NAMED_EVERY = 10;
/** So many are paid by a submitted hash. */
const SUBMITTED = 500;
const RUNS = 3;

type Part = () => Promise<void>;
const PARTS: Readonly<Record<string, Part>> = {
  tokens,
  hashes,
  native: measureNative,
  tip: measureTip,
  dust: measureDust,
  webhook: measureWebhooks,
};
let given: { rpc?: string | undefined; work?: string | undefined } = {};

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: {
      part: { type: "string", multiple: true },
      rpc: { type: "string" },
      work: { type: "string" },
    },
  });
  given = values;
  const { rpc, work, part: names = rpc === undefined ? Object.keys(PARTS) : ["tokens"] } = values;
  if (work !== undefined && rpc === undefined) {
    throw new Error("--work needs --rpc: the chain that a bench starts ends with it");
  }
  if (rpc !== undefined && names.some((name) => name !== "tokens")) {
    throw new Error("--rpc is for the part tokens alone");
  }
  for (const name of names) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`--part is one of ${Object.keys(PARTS).join(", ")}`);
    await part();
  }
}

interface Terrain {
  stage: Stage;
  chain: BusyChain;
  /** The block at which following begins, and the last one. */
  start: Place;
  last: number;
}

function tokens(): Promise<void> {
  return withUndo(async (undo) => {
    const chain = await startBusyChain(CHAIN_ID, { given: given.rpc });
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const { rpcUrl } = chain;
    const watched = makeOrders(WATCHES, "aa");
    await watch(stage, rpcUrl, watched);
    const start = await followedPlace(stage);
    const paid = watched
      .filter((_, at) => at % (WATCHES / FOUND) === 0)
      .map((order, at) =>
        at % NAMED_EVERY === 0 ? { ...order, suffix: nameOrder(order) } : order,
      );
    const mined = await chain.mine(BLOCKS, paid);
    const last = Number(await callNode(rpcUrl, "eth_blockNumber"));
    const terrain: Terrain = { stage, chain, start, last };
    if (given.work !== undefined) await writeWork(given.work, terrain, { watched, mined });
    await compare(
      terrain,
      watched.map(({ recipient }) => recipient),
    );
    await checkRows(stage, mined);
    await countCalls(terrain);
  });
}

function nameOrder({ id }: Order): string {
  return toReferenceSuffix(toReference(id));
}

/** What another indexer needs to follow the same blocks, and the rows that it must find. */
async function writeWork(
  file: string,
  { chain, start, last }: Terrain,
  { watched, mined }: { watched: readonly Order[]; mined: readonly Mined[] },
): Promise<void> {
  const work = {
    chainId: CHAIN_ID,
    rpcUrl: chain.rpcUrl,
    tokens: [chain.token],
    firstBlock: start.number + 1,
    lastBlock: last,
    transfers: BLOCKS * TRANSFERS_PER_BLOCK,
    watched: watched.map(({ recipient }) => recipient),
    expected: mined.map(({ txHash, recipient, amount }) => ({
      txHash,
      recipient,
      value: `${amount}`,
    })),
  };
  await writeFile(file, `${JSON.stringify(work, null, 2)}\n`);
}

/** What was followed is what was mined, row for row. */
async function checkRows({ pool }: Stage, mined: readonly Mined[]): Promise<void> {
  const { rows } = await pool.query("select tx_hash, recipient, value from transfers");
  const found = rows.map((row) => toLine(row.tx_hash, row.recipient, row.value)).toSorted();
  const expected = mined.map((one) => toLine(one.txHash, one.recipient, one.amount)).toSorted();
  if (found.join() === expected.join()) return;
  throw new Error(`${found.length} transfers were found, ${expected.length} were mined`);
}

function toLine(txHash: string, recipient: string, value: bigint | string): string {
  return `${txHash} ${recipient} ${value}`;
}

async function compare(terrain: Terrain, recipients: readonly string[]): Promise<void> {
  const { stage, chain, start, last } = terrain;
  const { rpcUrl } = chain;
  const terms = {
    rpcUrl,
    token: chain.token.address,
    recipients: new Set(recipients),
    from: start.number + 1,
    to: last,
    expected: FOUND,
  };
  const ours: number[] = [];
  const raw: number[] = [];
  for (let nth = 0; nth < RUNS; nth++) {
    raw.push(await followRaw(stage.pool, terms));
    ours.push(await follow(terrain, rpcUrl));
  }
  const transfers = BLOCKS * TRANSFERS_PER_BLOCK;
  figure("chains.raw_transfers_per_s", (transfers * 1_000) / median(raw), "transfers/s");
  figure("chains.transfers_per_s", (transfers * 1_000) / median(ours), "transfers/s");
  figure("chains.ratio_to_raw", median(raw) / median(ours), "times");
}

/** Milliseconds from the lease to the last block. */
async function follow({ stage, start, last }: Terrain, rpcUrl: string): Promise<number> {
  const { pool } = stage;
  await rewind(stage, start);
  const starting = startService(stage, [rpcUrl]);
  await reached(pool, "select leader is not null as done from cursors");
  const begun = performance.now();
  await reached(pool, `select head_number >= ${last} as done from cursors`);
  const tookMs = performance.now() - begun;
  const service = await starting;
  await reached(pool, `select count(*) = ${FOUND} as done from allocations`);
  await service.stop();
  return tookMs;
}

async function countCalls({ stage, chain, start, last }: Terrain): Promise<void> {
  const node = await startCountingNode(chain.rpcUrl);
  try {
    await rewind(stage, start);
    const starting = startService(stage, [node.url]);
    await reached(stage.pool, "select leader is not null as done from cursors");
    node.take();
    await reached(stage.pool, `select head_number >= ${last} as done from cursors`);
    const { requests, calls } = node.take();
    const following = [...requests].filter(([methods]) => !OF_VERIFICATION.has(methods));
    const verified = [...requests].filter(([methods]) => OF_VERIFICATION.has(methods));
    figure(
      "chains.calls_per_1000_blocks",
      per1000(following),
      `requests: ${formatCounts(following)}`,
    );
    figure(
      "chains.verification_calls_per_1000_blocks",
      per1000(verified),
      `requests to verify ${FOUND} transactions: ${formatCounts(verified)}`,
    );
    process.stdout.write(`# calls in all requests: ${formatCounts([...calls])}\n`);
    await (await starting).stop();
  } finally {
    await node.stop();
  }
}

/**
 * What the leader asks holds logs, or receipts with the heads of their blocks, or the newest block; a verification asks
 * for each by itself.
 */
const OF_VERIFICATION = new Set([
  "eth_getTransactionReceipt",
  "eth_getBlockByNumber",
  "eth_getTransactionByHash",
]);

type Counts = readonly (readonly [string, number])[];

function per1000(counts: Counts): number {
  return (counts.reduce((sum, [, count]) => sum + count, 0) * 1_000) / BLOCKS;
}

function formatCounts(counts: Counts): string {
  return counts.map(([name, count]) => `${name} ${count}`).join(", ");
}

function hashes(): Promise<void> {
  return withUndo(async (undo) => {
    const chain = await startBusyChain(CHAIN_ID);
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const orders = makeOrders(SUBMITTED, "cc");
    const mined = await chain.mine(Math.ceil(SUBMITTED / TRANSFERS_PER_BLOCK) + 1, orders);
    await measureHashes(stage, chain.rpcUrl, { orders, mined });
  });
}
