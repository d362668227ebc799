// A provider as it was a moment ago: head, tags and blocks are asked once for all hashes that are looked at
// together. What is remembered is always older than what is asked afterwards, so a depth is never overestimated,
// and a block that was replaced meanwhile no longer fits the receipt.
import type { FinalityPolicy, Heights } from "../domain/finality.ts";
import type { Block } from "../rpc/decode.ts";
import type { Reader } from "../rpc/reader.ts";

const FRESH_MS_MAX = 1_000;
const BLOCKS_MAX = 1_000;

export interface View {
  readonly reader: Reader;
  heights(): Promise<Heights>;
  /** The block of the main chain at that height. */
  block(number: number): Promise<Block | null>;
}

/** One view per reader, for as long as the reader lives. */
export const createViews = (
  policy: FinalityPolicy,
  blockTimeMs: number,
): ((reader: Reader) => View) => {
  const freshMs = Math.min(blockTimeMs / 2, FRESH_MS_MAX);
  const views = new WeakMap<Reader, View>();
  return (reader) => {
    const view = views.get(reader) ?? createView(reader, policy, freshMs);
    views.set(reader, view);
    return view;
  };
};

const createView = (reader: Reader, policy: FinalityPolicy, freshMs: number): View => {
  let heights: Promise<Heights> | undefined;
  const blocks = new Map<number, Promise<Block | null>>();
  let freshUntil = 0;

  const forgetTheOld = () => {
    const now = performance.now();
    if (now < freshUntil && blocks.size < BLOCKS_MAX) return;
    freshUntil = now + freshMs;
    heights = undefined;
    blocks.clear();
  };

  return {
    reader,
    heights: () => {
      forgetTheOld();
      if (heights !== undefined) return heights;
      const asked = askHeights(reader, policy);
      heights = asked;
      asked.catch(() => {
        if (heights === asked) heights = undefined;
      });
      return asked;
    },
    block: (number) => {
      forgetTheOld();
      const known = blocks.get(number);
      if (known !== undefined) return known;
      const asked = reader.block(number);
      blocks.set(number, asked);
      // What a provider did not know, or could not say, it may know at the next question.
      const forget = () => blocks.get(number) === asked && blocks.delete(number);
      asked.then((block) => block === null && forget(), forget);
      return asked;
    },
  };
};

/** Nothing is asked for that the policy does not need. */
const askHeights = async (
  reader: Reader,
  { mode, confirmations, highValueUnits }: FinalityPolicy,
): Promise<Heights> => {
  const height = async (tag: "latest" | "safe" | "finalized") => (await reader.block(tag))?.number;
  const firstBlockWillDo =
    mode === "confirmations" && confirmations === 1 && highValueUnits === undefined;
  const needsFinalized = mode === "finalized" || highValueUnits !== undefined;
  const [head, safe, finalized] = await Promise.all([
    firstBlockWillDo ? undefined : height("latest"),
    mode === "safe" ? height("safe") : undefined,
    needsFinalized ? height("finalized") : undefined,
  ]);
  return { head: head ?? 0, safe, finalized };
};
