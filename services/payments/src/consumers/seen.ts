import type { Event, Observation } from "@pay/proto";
import type { Seen } from "../domain/verdict.ts";

function given(text: string): string | undefined {
  return text.toLowerCase() || undefined;
}

/**
 * An observation as the domain reads it. Events of earlier versions do not say which hash was submitted: in a refutation
 * it is the named one, in a proof it may be another.
 */
export function seenOf({ type, projectId, mode }: Event, seen: Observation): Seen {
  return {
    ...{ type, projectId, mode, chainId: seen.chainId },
    recipient: given(seen.recipientAddress),
    currency: given(seen.currency),
    txHash: seen.txHash,
    submittedTxHash:
      given(seen.submittedTxHash) ?? (type === "transfer.confirmed" ? undefined : seen.txHash),
    found: seen.found,
    blockNumber: seen.blockNumber ?? null,
    received: seen.receivedBaseAmount === undefined ? undefined : BigInt(seen.receivedBaseAmount),
    sender: seen.senderAddress ?? null,
    reason: seen.reason,
  };
}
