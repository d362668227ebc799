import type { Event, Observation } from "@pay/proto";
import {
  type Address,
  type Amount,
  type ChainId,
  type Currency,
  type Needs,
  needsIn,
  type TxHash,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";

/** What chains has observed of a transfer, as payments and refunds compare it with their records. */
export interface ObservedTransfer {
  type: string;
  projectId: string;
  mode: number;
  chainId: ChainId;
  /** These three are absent in events of earlier versions. */
  recipient: Address | undefined;
  currency: Currency | undefined;
  sender: Address | undefined;
  txHash: TxHash;
  /** Absent where an earlier version proved a record, possibly by another hash than the submitted one. */
  submittedTxHash: TxHash | undefined;
  /** Chains found the transfer by its recipient; the hash was not submitted. */
  found: boolean;
  blockNumber: bigint | null;
  received: Amount | undefined;
  reason: string;
  /** What the transaction needs besides the chain, and how often that has changed. */
  needs: Needs | undefined;
  needsTurn: number;
}

/** An empty text is an absent one. */
function given<T>(text: string | undefined, parsed: (text: string) => T): T | undefined {
  return text ? parsed(text) : undefined;
}

/**
 * Reads an observation. Events of earlier versions do not say which hash was submitted: in a refutation it is the named
 * one, in a proof it may be another.
 */
export function readObservation(
  { type, projectId, mode }: Event,
  seen: Observation,
): ObservedTransfer {
  const txHash = toTxHash(seen.txHash);
  return {
    type,
    projectId,
    mode,
    chainId: toChainId(seen.chainId),
    recipient: given(seen.recipientAddress, toAddress),
    currency: given(seen.currency, toCurrency),
    sender: given(seen.senderAddress, toAddress),
    txHash,
    submittedTxHash:
      given(seen.submittedTxHash, toTxHash) ?? (type === "transfer.confirmed" ? undefined : txHash),
    found: seen.found,
    blockNumber: seen.blockNumber ?? null,
    received: seen.receivedBaseAmount === undefined ? undefined : toAmount(seen.receivedBaseAmount),
    reason: seen.reason,
    needs: needsIn(seen.needs),
    needsTurn: seen.needsTurn,
  };
}
