// A matching transfer and the block it was mined in, as statements write it.
import type { Transfer } from "../../providers/domain/transfer.ts";

export interface SettledTransfer extends Transfer {
  blockNumber: number;
  blockHash: string;
  blockTime: Date;
}

export function toTransferRow(transfer: SettledTransfer) {
  return {
    tx_hash: transfer.txHash,
    kind: transfer.kind,
    ordinal: transfer.ordinal,
    block_number: transfer.blockNumber,
    block_hash: transfer.blockHash,
    block_time: transfer.blockTime,
    currency: transfer.currency,
    sender: transfer.sender,
    recipient: transfer.recipient,
    value: transfer.value,
  };
}
