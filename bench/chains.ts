// How fast is a chain followed that is far ahead, beside a raw loop over the same blocks in the same run, with how many calls,
// and how many submitted hashes a second get their verdict? Real PostgreSQL, a real node, all on this machine. `--part NAME`
// runs one of the parts.
import { parseArgs } from "node:util";
import { callNode } from "@pay/embedded";
import { followRaw } from "./baselines/raw-logs.ts";
import { figure, median } from "./figures.ts";
import { type BusyChain, startBusyChain, TRANSFERS_PER_BLOCK } from "./parts/busy-chain.ts";
import { measureClaims } from "./parts/chains-claims.ts";
import {
  CHAIN_ID,
  followedPlace,
  openStage,
  ordersOf,
  type Place,
  reached,
  rewind,
  type Stage,
  startService,
  watch,
} from "./parts/chains-stage.ts";
import { startCountingNode } from "./parts/counting-node.ts";
import { withUndo } from "./parts/with-undo.ts";

const BLOCKS = 1_000;
const WATCHES = 10_000;
/** Of the watched payments so many are paid without a hash. */
const FOUND = 100;
/** So many are paid by a submitted hash. */
const CLAIMED = 500;
const RUNS = 3;

type Part = () => Promise<void>;
const PARTS: Readonly<Record<string, Part>> = { tokens, claims };

export async function run(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { part: { type: "string", multiple: true, default: Object.keys(PARTS) } },
  });
  for (const name of values.part) {
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
    const chain = await startBusyChain(CHAIN_ID);
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const { rpcUrl } = chain.anvil;
    const watched = ordersOf(WATCHES, "aa");
    await watch(stage, rpcUrl, watched);
    const start = await followedPlace(stage);
    await chain.mine(
      BLOCKS,
      watched.filter((_, at) => at % (WATCHES / FOUND) === 0),
    );
    const last = Number(await callNode(rpcUrl, "eth_blockNumber"));
    const terrain: Terrain = { stage, chain, start, last };
    await compare(
      terrain,
      watched.map(({ recipient }) => recipient),
    );
    await countCalls(terrain);
  });
}

async function compare(terrain: Terrain, recipients: readonly string[]): Promise<void> {
  const { stage, chain, start, last } = terrain;
  const { rpcUrl } = chain.anvil;
  const terms = {
    ...{ rpcUrl, token: chain.token.address, recipients: new Set(recipients) },
    ...{ from: start.number + 1, to: last, expected: FOUND },
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
  await reached(
    pool,
    `select count(*) = ${FOUND} as done from candidates where state = 'confirmed'`,
  );
  await service.stop();
  return tookMs;
}

async function countCalls({ stage, chain, start, last }: Terrain): Promise<void> {
  const node = await startCountingNode(chain.anvil.rpcUrl);
  try {
    await rewind(stage, start);
    const starting = startService(stage, [node.url]);
    await reached(stage.pool, "select leader is not null as done from cursors");
    const before = node.requests();
    await reached(stage.pool, `select head_number >= ${last} as done from cursors`);
    const calls = ((node.requests() - before) * 1_000) / BLOCKS;
    figure("chains.calls_per_1000_blocks", calls, "requests");
    await (await starting).stop();
  } finally {
    await node.stop();
  }
}

function claims(): Promise<void> {
  return withUndo(async (undo) => {
    const chain = await startBusyChain(CHAIN_ID);
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const orders = ordersOf(CLAIMED, "cc");
    const mined = await chain.mine(Math.ceil(CLAIMED / TRANSFERS_PER_BLOCK) + 1, orders);
    await measureClaims(stage, chain.anvil.rpcUrl, { orders, mined });
  });
}
