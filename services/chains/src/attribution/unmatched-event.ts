// The event of a transfer that is for no payment, which merchants receive where an endpoint lists it.
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { NewEvent } from "@pay/events";
import { checksumAddress, derivedId } from "@pay/values";
import { NATIVE } from "../providers/domain/transfer.ts";
import type { Decision } from "./domain/decision.ts";
import type { StoredTransfer } from "./storage/facts.ts";
import type { Wallet } from "./storage/queue.ts";
import { toTransferId } from "./transfer-id.ts";

type Unpaying = Extract<Decision, { reason: string }>;

const CANDIDATES_MAX = 10;

export function toUnmatchedEvent(
  wallet: Wallet,
  { transfer, decision }: { transfer: StoredTransfer; decision: Unpaying },
  { decimals, at }: { decimals: number; at: Date },
): NewEvent {
  const { projectId, mode, chainId, currency } = wallet;
  const id = toTransferId(wallet, { id: transfer.id, minedAt: transfer.block_time });
  return {
    id: derivedId("evt", projectId, id, "unmatched", transfer.block_hash),
    type: "transfer.unmatched",
    projectId,
    mode,
    resourceId: id,
    sequence: 1,
    occurredAt: timestampFromDate(at),
    requestId: "",
    resource: {
      case: "transfer",
      value: {
        id,
        projectId,
        mode,
        chainId: BigInt(chainId),
        currency: currency === NATIVE ? NATIVE : checksumAddress(currency),
        decimals,
        baseAmount: `${transfer.value}`,
        txHash: transfer.tx_hash,
        ...(transfer.kind === "log" && { logIndex: transfer.ordinal }),
        fromAddress: checksumAddress(transfer.sender),
        toAddress: checksumAddress(wallet.recipient),
        blockNumber: transfer.block_number,
        minedAt: timestampFromDate(transfer.block_time),
        state: transfer.status,
        reason: decision.reason,
        candidates: decision.candidates.slice(0, CANDIDATES_MAX),
      },
    },
  };
}
