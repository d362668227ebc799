import type { Event, Observation } from "@pay/proto";

/** What chains has observed of a transfer, as payments and refunds compare it with their records. */
export interface ObservedTransfer {
  type: string;
  projectId: string;
  mode: number;
  chainId: bigint;
  /** Addresses and currency are in lower case, and absent in events of earlier versions. */
  recipient: string | undefined;
  currency: string | undefined;
  sender: string | undefined;
  txHash: string;
  /** Absent where an earlier version proved a record, possibly by another hash than the submitted one. */
  submittedTxHash: string | undefined;
  /** Chains found the transfer by its recipient; the hash was not submitted. */
  found: boolean;
  blockNumber: bigint | null;
  received: bigint | undefined;
  reason: string;
}

function given(text: string | undefined): string | undefined {
  return text?.toLowerCase() || undefined;
}

/**
 * Reads an observation. Events of earlier versions do not say which hash was submitted: in a refutation it is the named
 * one, in a proof it may be another.
 */
export function readObservation(
  { type, projectId, mode }: Event,
  seen: Observation,
): ObservedTransfer {
  return {
    ...{ type, projectId, mode, chainId: seen.chainId },
    recipient: given(seen.recipientAddress),
    currency: given(seen.currency),
    sender: given(seen.senderAddress),
    txHash: seen.txHash,
    submittedTxHash:
      given(seen.submittedTxHash) ?? (type === "transfer.confirmed" ? undefined : seen.txHash),
    found: seen.found,
    blockNumber: seen.blockNumber ?? null,
    received: seen.receivedBaseAmount === undefined ? undefined : BigInt(seen.receivedBaseAmount),
    reason: seen.reason,
  };
}
