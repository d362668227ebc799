// Looks a transaction up and turns it into facts. One provider answers all questions of one look, because two may
// stand at different blocks; what it says of receipt and block must fit together, or there is nothing to say. How
// high the chain is comes first: what is found afterwards is at least as deep as it then seems.
import type { Heights } from "../domain/finality.ts";
import type { Facts } from "../domain/judge.ts";
import { innerTransfers, NATIVE, nativeTransfer, tokenTransfers } from "../domain/transfer.ts";
import type { Frame, Receipt, Transaction } from "../rpc/decode.ts";
import { RpcError } from "../rpc/endpoint.ts";
import type { Reader } from "../rpc/reader.ts";
import type { View } from "./view.ts";

export interface Mined {
  kind: "mined";
  facts: Facts;
  blockNumber: number;
  blockHash: string;
  heights: Heights;
}

export type Look =
  | Mined
  /** Known but not in a block. */
  | { kind: "pending"; from: string; nonce: number }
  /** This provider does not know it. */
  | { kind: "missing" }
  /** The answers do not fit together: the chain moved between them, or the provider is not in order. */
  | { kind: "unsettled" };

export interface Wanted {
  txHash: string;
  recipient: string;
  currency: string;
  /** Lower case addresses of the tokens that count. */
  listed: ReadonlySet<string>;
}

/** What executing no code costs. */
const PLAIN_GAS = 21_000n;

export const look = async (view: View, wanted: Wanted): Promise<Look> => {
  const { txHash, recipient, currency, listed } = wanted;
  const { reader } = view;
  const heights = await view.heights();
  const receipt = await reader.receipt(txHash);
  if (receipt === null) {
    const waiting = await reader.transaction(txHash);
    if (waiting === null) return { kind: "missing" };
    return { kind: "pending", from: waiting.from, nonce: waiting.nonce };
  }
  const { blockNumber, blockHash } = receipt;
  // A transaction that goes straight to the recipient may carry native coin where a token is due.
  const carriesValue = currency === NATIVE || receipt.to === recipient;
  const [block, transaction] = await Promise.all([
    view.block(blockNumber),
    carriesValue ? reader.transaction(txHash) : undefined,
  ]);
  if (block?.hash !== blockHash) return { kind: "unsettled" };
  if (transaction === null || (transaction && transaction.blockHash !== blockHash)) {
    return { kind: "unsettled" };
  }
  const succeeded = receipt.status === "0x1";
  const native =
    transaction && succeeded
      ? await nativeFacts(reader, wanted, receipt, transaction)
      : { transfers: [], complete: true };
  const facts: Facts = {
    succeeded,
    blockTime: new Date(block.timestamp * 1_000),
    transfers: [...native.transfers, ...tokenTransfers(txHash, receipt.logs, listed)],
    complete: native.complete,
  };
  return { kind: "mined", facts, blockNumber, blockHash, heights };
};

/** Native coin leaves no log: what contracts moved is known only from a trace of the execution. */
const nativeFacts = async (
  reader: Reader,
  { txHash, recipient, currency }: Wanted,
  receipt: Receipt,
  transaction: Transaction,
): Promise<Pick<Facts, "transfers" | "complete">> => {
  const direct = nativeTransfer(txHash, {
    ...{ from: transaction.from, to: receipt.to, value: transaction.value },
  });
  const suffices = direct.some((transfer) => transfer.recipient === recipient);
  if (suffices || currency !== NATIVE) return { transfers: direct, complete: true };
  if (await ranNoCode(reader, receipt, transaction)) return { transfers: direct, complete: true };
  const root = await reader.trace(txHash);
  if (root === undefined || !isOf(root, transaction)) return { transfers: direct, complete: false };
  return { transfers: [...direct, ...innerTransfers(txHash, root)], complete: true };
};

const ranNoCode = async (reader: Reader, receipt: Receipt, transaction: Transaction) => {
  if (receipt.to === null || transaction.input !== "0x") return false;
  return receipt.gasUsed === PLAIN_GAS || (await reader.code(receipt.to)) === "0x";
};

const isOf = (root: Frame, { from, to, value }: Transaction): boolean =>
  root.from === from && root.value === value && (!to || root.to === to);

/** The first provider's answer that says something; undefined when nobody could be asked. */
export const lookAmong = async (
  views: readonly View[],
  wanted: Wanted,
): Promise<{ found: Look; view: View } | undefined> => {
  let best: { found: Look; view: View } | undefined;
  for (const view of views) {
    const found = await answered(look(view, wanted));
    if (found === undefined) continue;
    if (found.kind === "mined" && found.facts.complete) return { found, view };
    if (best === undefined || SAYS[found.kind] > SAYS[best.found.kind]) best = { found, view };
  }
  return best;
};

const SAYS = { missing: 0, unsettled: 1, pending: 2, mined: 3 } as const;

/** A provider's fault is noted where it happens; here it only means that this one has said nothing. */
export const answered = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
};
