// A matching transfer and where it was mined, as the statements that write transfers take it.
import type { Transfer } from "../../providers/domain/transfer.ts";

export interface SettledTransfer extends Transfer {
  blockNumber: number;
  blockHash: string;
  blockTime: Date;
}

export const TRANSFER_TYPES = [
  "text",
  "text",
  "integer",
  "bigint",
  "text",
  "timestamptz",
  "text",
  "text",
  "text",
  "numeric",
];

/** The names of the same values. */
export const TRANSFER_COLUMNS = `tx_hash, kind, ordinal, block_number, block_hash, block_time,
  currency, sender, recipient, value`;

export function transferRow(one: SettledTransfer): unknown[] {
  return [
    one.txHash,
    one.kind,
    one.ordinal,
    one.blockNumber,
    one.blockHash,
    one.blockTime,
    one.currency,
    one.sender,
    one.recipient,
    one.value.toString(),
  ];
}

export function toTransferRow(one: SettledTransfer) {
  return {
    tx_hash: one.txHash,
    kind: one.kind,
    ordinal: one.ordinal,
    block_number: one.blockNumber,
    block_hash: one.blockHash,
    block_time: one.blockTime,
    currency: one.currency,
    sender: one.sender,
    recipient: one.recipient,
    value: one.value,
  };
}
