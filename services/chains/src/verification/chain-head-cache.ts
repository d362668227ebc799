// Head, tags and blocks of one provider, requested once for all hashes that are verified together. A cached value is
// older than any later response, so no depth is overestimated and a replaced block does not match its receipt.
import type { FinalityPolicy, Heights } from "../catalog/domain/finality.ts";
import type { Block } from "../providers/decode.ts";
import type { Reader } from "../providers/reader.ts";

const FRESH_MS_MAX = 1_000;
const BLOCKS_MAX = 1_000;

export interface ChainHeadCache {
  readonly reader: Reader;
  heights(): Promise<Heights>;
  /** The block of the main chain at that height. */
  block(number: number): Promise<Block | null>;
}

/** One cache per reader, for as long as the reader exists. */
export function createChainHeadCaches(
  policy: FinalityPolicy,
  blockTimeMs: number,
): (reader: Reader) => ChainHeadCache {
  const freshMs = Math.min(blockTimeMs / 2, FRESH_MS_MAX);
  const caches = new WeakMap<Reader, ChainHeadCache>();
  return (reader) => {
    const cache = caches.get(reader) ?? createChainHeadCache(reader, policy, freshMs);
    caches.set(reader, cache);
    return cache;
  };
}

function createChainHeadCache(
  reader: Reader,
  policy: FinalityPolicy,
  freshMs: number,
): ChainHeadCache {
  const watches = { safe: createTagWatch(), finalized: createTagWatch() };
  async function readHeights(): Promise<Heights> {
    const { head, safe, finalized } = await requestHeights(reader, policy);
    return { head, safe: watches.safe(safe), finalized: watches.finalized(finalized) };
  }

  let heights: Promise<Heights> | undefined;
  const blocks = new Map<number, Promise<Block | null>>();
  let freshUntil = 0;

  function dropExpired() {
    const now = performance.now();
    if (now < freshUntil && blocks.size < BLOCKS_MAX) return;
    freshUntil = now + freshMs;
    heights = undefined;
    blocks.clear();
  }

  return {
    reader,
    heights: () => {
      dropExpired();
      if (heights !== undefined) return heights;
      const request = readHeights();
      heights = request;
      request.catch(() => {
        if (heights === request) heights = undefined;
      });
      return request;
    },
    block: (number) => {
      dropExpired();
      const known = blocks.get(number);
      if (known !== undefined) return known;
      const request = reader.block(number);
      blocks.set(number, request);
      // A missing block or a failed request is not cached: the next request may succeed.
      function forget() {
        return blocks.get(number) === request && blocks.delete(number);
      }

      request.then((block) => block === null && forget(), forget);
      return request;
    },
  };
}

/** Longer than a tag of any chain stands still in normal operation. */
const STILL_MS = 30 * 60_000;

/** Returns a tag while it moves; undefined while it stands still, and where the provider has none. */
export function createTagWatch(
  nowMs: () => number = () => performance.now(),
): (height: number | undefined) => number | undefined {
  let highest = -1;
  let movedAt = nowMs();
  return (height) => {
    if (height === undefined) return undefined;
    if (height > highest) {
      highest = height;
      movedAt = nowMs();
    }
    return nowMs() - movedAt > STILL_MS ? undefined : height;
  };
}

/** Requests only the tags that the policy needs. */
async function requestHeights(
  reader: Reader,
  { mode, confirmations, highValueUnits }: FinalityPolicy,
): Promise<Heights> {
  async function height(tag: "latest" | "safe" | "finalized") {
    return (await reader.block(tag))?.number;
  }

  const isOneBlockEnough =
    mode === "confirmations" && confirmations === 1 && highValueUnits === undefined;
  const needsFinalized = mode === "finalized" || highValueUnits !== undefined;
  const [head, safe, finalized] = await Promise.all([
    isOneBlockEnough ? undefined : height("latest"),
    mode === "safe" ? height("safe") : undefined,
    needsFinalized ? height("finalized") : undefined,
  ]);
  return { head: head ?? 0, safe, finalized };
}
