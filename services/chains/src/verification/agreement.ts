// Whether other providers report the same transaction. A provider that has not reached the block is not counted; of the
// others the majority decides.

import { type Address, type Amount, type ChainId, sumAmounts } from "@pay/values";
import type { Heights } from "../catalog/domain/finality.ts";
import { disagreementsTotal, laggingTotal } from "../metrics.ts";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Reader } from "../providers/reader.ts";
import { tryRequest } from "../providers/rpc-error.ts";
import type { ChainHeadCache } from "./chain-head-cache.ts";
import {
  type Mined,
  type Names,
  type Reading,
  readTransaction,
  type TransactionQuery,
} from "./read-transaction.ts";

/** alone: no other provider returned everything that is compared. */
export interface Agreement {
  kind: "agreed" | "contradicted" | "alone";
  /** The first includes the provider that found the transaction. */
  agreeing: number;
  contradicting: number;
  /** The heights of each other provider that reports the same. */
  heights: readonly Heights[];
  /** What each of them tells of the names in the transaction. */
  names: readonly Names[];
}

type Opinion = "same" | "other" | "none";

export async function checkAgreement({
  query,
  found,
  cache,
  caches,
  chainId,
  isEnough,
}: {
  query: TransactionQuery;
  found: Mined;
  /** Of the provider that found it. */
  cache: ChainHeadCache;
  caches: readonly ChainHeadCache[];
  chainId: ChainId;
  /** Whether an agreeing provider of these heights suffices. */
  isEnough(heights: Heights): boolean;
}): Promise<Agreement> {
  const heights: Heights[] = [];
  const names: Names[] = [];
  let others = 0;
  for (const other of caches) {
    if (other === cache) continue;
    const second = await tryRequest(readTransaction(other, query));
    const opinion =
      second === undefined ? "none" : await readOpinion(second, { query, found, other, chainId });
    if (opinion === "same" && second?.kind === "mined") {
      heights.push(second.heights);
      names.push(second.facts);
    }
    if (opinion === "other") {
      others++;
      disagreementsTotal.inc({ chain: chainId, provider: other.reader.name });
    }
    if (others === 0 && heights.some(isEnough)) break;
  }
  const same = heights.length;
  // The provider that found the transaction counts as well.
  const counts = { agreeing: same + 1, contradicting: others, heights, names };
  if (others === 0) return { kind: same > 0 ? "agreed" : "alone", ...counts };
  return { kind: same > 0 && same + 1 > others ? "agreed" : "contradicted", ...counts };
}

interface Compared {
  query: TransactionQuery;
  found: Mined;
  other: ChainHeadCache;
  chainId: ChainId;
}

async function readOpinion(
  second: Reading,
  { query, found, other, chainId }: Compared,
): Promise<Opinion> {
  if (second.kind === "mined") {
    if (!isSame(found, second, query)) return "other";
    return second.facts.complete ? "same" : readOpinionByBalance(query, found, other);
  }
  const block = await tryRequest(other.reader.block(found.blockNumber));
  if (block === undefined) return "none";
  if (block === null) {
    laggingTotal.inc({ chain: chainId });
    return "none";
  }
  // A provider may have the block before it returns its transactions.
  return block.hash === found.blockHash ? "none" : "other";
}

/** By every wallet that waits for native coin: one that differs is enough. */
async function readOpinionByBalance(
  { targets }: TransactionQuery,
  found: Mined,
  cache: ChainHeadCache,
): Promise<Opinion> {
  const native = targets.filter(({ currency }) => currency === NATIVE);
  const opinions = await Promise.all(
    native.map(({ recipient }) => readOpinionOfWallet(recipient, found, cache)),
  );
  if (opinions.includes("other")) return "other";
  return opinions.includes("none") ? "none" : "same";
}

/**
 * A provider that cannot trace confirms native coin by the balance that the recipient gained in the block, beyond
 * direct transfers. A smaller gain contradicts the trace, unless the recipient may have spent in the same block.
 */
async function readOpinionOfWallet(
  recipient: Address,
  { facts, blockNumber }: Mined,
  { reader }: ChainHeadCache,
): Promise<Opinion> {
  const gained = facts.complete
    ? await tryRequest(readGain(reader, recipient, blockNumber))
    : undefined;
  if (gained === undefined) return "none";
  const { whole, inner, maySpend } = gained;
  const traced = sumTo(recipient, facts.transfers);
  if (traced === 0n) return inner > 0n ? "other" : maySpend ? "none" : "same";
  if (inner >= traced) return "same";
  return whole < traced && !maySpend ? "other" : "none";
}

interface Gain {
  /** The difference of the balances after and before the block. */
  whole: bigint;
  /** The part that no direct transfer explains. */
  inner: bigint;
  /** Whether the account may have sent something in the block. */
  maySpend: boolean;
}

async function readGain(reader: Reader, account: Address, blockNumber: number): Promise<Gain> {
  const [[before, after], [sentBefore, sentAfter], code, [block]] = await Promise.all([
    Promise.all([reader.balance(account, blockNumber - 1), reader.balance(account, blockNumber)]),
    Promise.all([
      reader.transactionCount(account, blockNumber - 1),
      reader.transactionCount(account, blockNumber),
    ]),
    reader.code(account, blockNumber),
    reader.valueBlocks([blockNumber]),
  ]);
  const whole = after - before;
  const direct = sumTo(account, block?.transfers ?? []);
  return { whole, inner: whole - direct, maySpend: sentAfter > sentBefore || code !== "0x" };
}

function sumTo(account: Address, transfers: readonly { recipient: Address; value: Amount }[]) {
  const arrived = transfers.filter(({ recipient }) => recipient === account);
  return sumAmounts(arrived.map(({ value }) => value));
}

function isSame(a: Mined, b: Mined, { targets }: TransactionQuery): boolean {
  function serialized({ facts: { transfers } }: Mined): string {
    // Nodes return different inner calls, so only those that reached the recipient are compared.
    const compared = transfers
      .filter(
        (transfer) =>
          transfer.kind !== "trace" ||
          targets.some(({ recipient }) => recipient === transfer.recipient),
      )
      .toSorted((one, other) => one.ordinal - other.ordinal);
    return JSON.stringify(compared, (_, value) => (typeof value === "bigint" ? `${value}` : value));
  }

  return (
    a.blockHash === b.blockHash &&
    a.facts.succeeded === b.facts.succeeded &&
    a.facts.blockTime.getTime() === b.facts.blockTime.getTime() &&
    (!b.facts.complete || serialized(a) === serialized(b))
  );
}
