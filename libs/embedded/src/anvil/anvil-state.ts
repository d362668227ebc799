// How a local chain is kept. anvil writes its own state file in place, so a kill in the middle of a write leaves a
// torn file that it then refuses to load. Therefore the state is asked for over RPC, written beside the file and
// renamed over it: what is on disk is always one whole state. It is kept soon after a transaction and now and then
// besides, because empty blocks are no loss and the state grows with them.
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { callNode } from "./dev-rpc.ts";

const EMPTY_BLOCKS_INTERVAL_MS = 300_000;
/** More new blocks than this are not searched for transactions, just kept. */
const SEARCHED_BLOCKS_MAX = 20;
/** Keeping a long chain must not become all that it does. */
const REST_PER_SAVE = 10;

export interface Saver {
  /** Keeps the present state now. */
  save(): Promise<void>;
  stop(): Promise<void>;
}

interface Head {
  number: number;
  hash: string;
}

export function startSaver(options: {
  rpcUrl: string;
  stateFile: string;
  intervalMs: number;
  log: (line: string) => void;
}): Saver {
  const { rpcUrl, stateFile, intervalMs, log } = options;
  /** Kept, or followed by empty blocks only. */
  let known: Head | undefined;
  let savedAt = 0;
  let restUntil = 0;
  let underWay: Promise<void> = Promise.resolve();

  async function isDue(head: Head): Promise<boolean> {
    if (Date.now() < restUntil || head.hash === known?.hash) return false;
    if (known === undefined || Date.now() - savedAt > EMPTY_BLOCKS_INTERVAL_MS) return true;
    if (await holdTransactions(rpcUrl, known.number + 1, head.number)) return true;
    known = head;
    return false;
  }

  async function round(force: boolean) {
    const head = await readHead(rpcUrl);
    if (!force && !(await isDue(head))) return;
    const startedAt = Date.now();
    await saveState(rpcUrl, stateFile);
    known = head;
    savedAt = Date.now();
    restUntil = savedAt + (savedAt - startedAt) * REST_PER_SAVE;
  }

  // One at a time, so that an older state can never be renamed over a newer one.
  function save(force: boolean) {
    underWay = underWay.catch(() => {}).then(() => round(force));
    return underWay;
  }

  const timer = setInterval(() => {
    save(false).catch((error: Error) => log(`the chain could not be saved: ${error.message}`));
  }, intervalMs);
  timer.unref();
  return {
    save: () => save(true),
    stop: async () => {
      clearInterval(timer);
      await underWay.catch(() => {});
    },
  };
}

async function readHead(rpcUrl: string): Promise<Head> {
  const block = await callNode(rpcUrl, "eth_getBlockByNumber", ["latest", false]);
  const { number, hash } = block as { number: string; hash: string };
  return { number: Number(number), hash };
}

/** A head that is not above the known one is of another history, which has to be kept in any case. */
async function holdTransactions(rpcUrl: string, from: number, to: number): Promise<boolean> {
  if (to < from || to - from >= SEARCHED_BLOCKS_MAX) return true;
  for (let number = from; number <= to; number++) {
    const at = `0x${number.toString(16)}`;
    const count = await callNode(rpcUrl, "eth_getBlockTransactionCountByNumber", [at]);
    if (Number(count) > 0) return true;
  }
  return false;
}

export async function saveState(
  rpcUrl: string,
  stateFile: string,
  timeoutMs?: number,
): Promise<void> {
  const dump = (await callNode(rpcUrl, "anvil_dumpState", [], timeoutMs)) as string;
  const state = await promisify(gunzip)(Buffer.from(dump.slice(2), "hex"));
  const fresh = `${stateFile}.new`;
  await writeFile(fresh, state, { flush: true });
  await rename(fresh, stateFile);
}

/** Where anvil itself leaves its state when it is asked to end. */
export function getDumpPath(stateFile: string): string {
  return `${stateFile}.end`;
}

/** Takes what anvil left when it ended, newer than anything saved; a torn one is worth nothing. */
export async function takeLastDump(stateFile: string): Promise<void> {
  const dump = getDumpPath(stateFile);
  try {
    JSON.parse(await readFile(dump, "utf8"));
    await rename(dump, stateFile);
  } catch {
    await rm(dump, { force: true });
  }
}
