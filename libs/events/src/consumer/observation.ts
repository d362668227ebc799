import type { Event, Observation } from "@pay/proto";
import {
  type Address,
  type Amount,
  type ChainId,
  type Currency,
  type TxHash,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import { Counter } from "prom-client";

/** The observation of a transfer by chains, as refunds compares it with its records. */
export interface ObservedTransfer {
  type: string;
  projectId: string;
  mode: number;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
  /** Absent where no transfer matched. */
  sender: Address | undefined;
  txHash: TxHash;
  submittedTxHash: TxHash;
  blockNumber: bigint | null;
  received: Amount | undefined;
  reason: string;
}

/** An empty text is an absent one. */
function given<T>(text: string | undefined, parsed: (text: string) => T): T | undefined {
  return text ? parsed(text) : undefined;
}

/** Where another transaction took the place of the submitted one, the two hashes differ. */
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
    recipient: toAddress(seen.recipientAddress),
    currency: toCurrency(seen.currency),
    sender: given(seen.senderAddress, toAddress),
    txHash,
    submittedTxHash: given(seen.submittedTxHash, toTxHash) ?? txHash,
    blockNumber: seen.blockNumber ?? null,
    received: seen.receivedBaseAmount === undefined ? undefined : toAmount(seen.receivedBaseAmount),
    reason: seen.reason,
  };
}

/** Shared, because several services of one process may read the same topic. */
export const observationsRefused = new Counter({
  name: "observations_refused_total",
  help: "Events that do not fit the record they name, by the field that differs; they change nothing",
  labelNames: ["consumer", "field"],
});
