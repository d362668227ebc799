import type { Event, Observation } from "@pay/proto";
import type { Seen } from "../domain/verdict.ts";

function given(text: string | undefined): string | undefined {
  return text?.toLowerCase() || undefined;
}

/**
 * An observation as the domain reads it. Earlier versions do not name the submitted hash: of a refutation it is
 * the hash that they name, of a proof it may be another.
 */
export function seenOf({ type, projectId, mode }: Event, seen: Observation): Seen {
  return {
    ...{ type, projectId, mode, chainId: seen.chainId },
    recipient: given(seen.recipientAddress),
    currency: given(seen.currency),
    sender: given(seen.senderAddress),
    txHash: seen.txHash,
    submittedTxHash:
      given(seen.submittedTxHash) ?? (type === "transfer.confirmed" ? undefined : seen.txHash),
    blockNumber: seen.blockNumber ?? null,
    received: seen.receivedBaseAmount === undefined ? undefined : BigInt(seen.receivedBaseAmount),
    reason: seen.reason,
  };
}
