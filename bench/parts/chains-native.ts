// How many blocks a second are followed where payments wait for native coin, which needs whole blocks: with some
// watches, and with a million deposit addresses, and what those cost in memory. The blocks are a real node's, as large
// as those of a busy public chain; they come from memory, so that the node's own work is in no figure.
import { join } from "node:path";
import { callNode } from "@pay/embedded";
import { figure, median } from "../figures.ts";
import { hex, startBusyChain } from "./busy-chain.ts";
import {
  buildEnvironment,
  CHAIN_ID,
  followedPlace,
  makeOrders,
  openStage,
  type Place,
  reached,
  rewind,
  type Stage,
  watch,
} from "./chains-stage.ts";
import { startPart, type Usage } from "./child.ts";
import { withUndo } from "./with-undo.ts";

const PROCESS = join(import.meta.dirname, "chains-process.ts");
const NODE = join(import.meta.dirname, "remembered-node.ts");
/** The node keeps a trace of each transaction: a thousand of such blocks are 9 GB. */
const BLOCKS = 200;
const TRANSACTIONS_PER_BLOCK = 250;
const WATCHES = 10_000;
const MANY = 1_000_000;
const ADDED_AT_ONCE = 10_000;
/** About as much at once as the service asks for. */
const BLOCKS_AT_ONCE = 12;
const FOUND = 50;
const RUNS = 5;

interface Terrain {
  stage: Stage;
  /** Of the node that remembers. */
  rpcUrl: string;
  start: Place;
  last: number;
}

interface Followed {
  tookMs: number;
  usage: Usage;
}

export function measureNative(): Promise<void> {
  return withUndo(async (undo) => {
    const traffic = { perBlock: TRANSACTIONS_PER_BLOCK, isMixed: true };
    const chain = await startBusyChain(CHAIN_ID, traffic);
    undo.push(() => chain.stop());
    const stage = await openStage(chain.token, undo);
    const orders = makeOrders(WATCHES, "aa", { currency: "native" });
    await watch(stage, chain.rpcUrl, orders);
    const start = await followedPlace(stage);
    const paid = orders.filter((_, at) => at % (WATCHES / FOUND) === 0);
    await chain.mine(BLOCKS, paid);
    const last = Number(await callNode(chain.rpcUrl, "eth_blockNumber"));
    const node = startPart(NODE);
    undo.push(() => node.stop());
    const { url: rpcUrl } = await node.ask<{ url: string }>({ target: chain.rpcUrl });
    const terrain = { stage, rpcUrl, start, last };
    const { bytes } = await readRaw(terrain);
    const kb = Math.round(bytes / 1_000 / (last - start.number));
    process.stdout.write(`# blocks of ${TRANSACTIONS_PER_BLOCK} transactions, ${kb} kB each\n`);
    const raw: number[] = [];
    for (let nth = 0; nth < RUNS; nth++) raw.push((await readRaw(terrain)).tookMs);
    const some = await followOften(terrain);
    figure("chains.native_blocks_per_s", perSecond(some), "blocks/s, 10,000 watches");
    const rawPerS = (BLOCKS * 1_000) / median(raw);
    figure(
      "chains.native_ratio_to_raw",
      perSecond(some) / rawPerS,
      "x, blocks read and parsed alone",
    );
    figure("chains.rss_mb", sumRss(some), "MB at most, 10,000 watches");
    await addDeposits(stage);
    const many = await followOften(terrain);
    figure("chains.native_ratio_1m", perSecond(many) / perSecond(some), "x, a million addresses");
    figure("chains.deposits_ratio_to_raw", perSecond(many) / rawPerS, "x, the same, to raw");
    figure("chains.rss_mb_1m", sumRss(many), "MB at most, a million addresses");
  });
}

function sumRss(runs: readonly Followed[]): number {
  return Math.max(...runs.map(({ usage }) => usage.rssMb));
}

function perSecond(runs: readonly Followed[]): number {
  return (BLOCKS * 1_000) / median(runs.map(({ tookMs }) => tookMs));
}

async function followOften(terrain: Terrain): Promise<Followed[]> {
  const runs: Followed[] = [];
  for (let nth = 0; nth < RUNS; nth++) runs.push(await follow(terrain));
  return runs;
}

/** From the first new block, when the watches are in memory, to the last one. */
async function follow({ stage, rpcUrl, start, last }: Terrain): Promise<Followed> {
  const { pool } = stage;
  await rewind(stage, start);
  const service = startPart(PROCESS);
  const started = service.ask(buildEnvironment(stage, [rpcUrl]));
  await reached(pool, `select head_number > ${start.number} as done from cursors`);
  const begun = performance.now();
  const first = (await followedPlace(stage)).number;
  await reached(pool, `select head_number >= ${last} as done from cursors`);
  const tookMs = ((performance.now() - begun) * (last - start.number)) / (last - first);
  await started;
  const found = `select count(*) = ${FOUND} as done from allocations`;
  await reached(pool, found);
  const usage = await service.ask<Usage>("usage");
  await service.stop();
  return { tookMs, usage };
}

/** Deposit addresses of payments that the service took in long ago. */
async function addDeposits({ pool }: Stage): Promise<void> {
  for (let from = WATCHES; from < MANY; from += ADDED_AT_ONCE) {
    await pool.query(
      `insert into watches (payment_id, project_id, mode, request_id, chain_id, recipient, currency, base_amount,
         opened_at, expires_at, ends_at, is_followed, version, reference, pay_to, opened_xid)
       select 'pay_' || lpad(n::text, 24, '0'), w.project_id, w.mode, '', w.chain_id, w.recipient, w.currency, n,
         w.opened_at, w.expires_at, w.ends_at, true, 1, 'ref_' || n,
         '0x' || lpad('bb' || lpad(to_hex(n), 8, '0'), 40, 'e'), 0
       from generate_series($1::integer, $2::integer) n, (select * from watches limit 1) w`,
      [from, Math.min(from + ADDED_AT_ONCE, MANY) - 1],
    );
  }
  await pool.query(
    `insert into deposit_addresses (address, project_id, mode, payment_id, recipient, reference)
     select pay_to, project_id, mode, payment_id, recipient, reference from watches where pay_to is not null`,
  );
  // By itself the server would do it during the runs.
  await pool.query("vacuum analyze watches, deposit_addresses");
}

/** The same blocks, read and parsed and no more, in lists. */
async function readRaw({ rpcUrl, start, last }: Terrain) {
  const begun = performance.now();
  let bytes = 0;
  for (let from = start.number + 1; from <= last; from += BLOCKS_AT_ONCE) {
    const count = Math.min(BLOCKS_AT_ONCE, last - from + 1);
    const calls = Array.from({ length: count }, (_, at) => ({
      jsonrpc: "2.0",
      id: at,
      method: "eth_getBlockByNumber",
      params: [hex(from + at), true],
    }));
    const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
    const body = JSON.stringify(calls);
    const answered = await fetch(rpcUrl, { method: "POST", headers, body });
    const text = await answered.text();
    bytes += text.length;
    const blocks = JSON.parse(text) as { result: unknown }[];
    if (blocks.length !== count) throw new Error("the node did not answer for each block");
  }
  return { tookMs: performance.now() - begun, bytes };
}
