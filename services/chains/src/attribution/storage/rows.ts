// From rows of candidates and transfers to the values they stand for.
import { toAddress, toAmount, toChainId, toCurrency, toTxHash } from "@pay/values";
import type * as sql from "../../generated/sql.ts";
import type { Transfer } from "../../providers/domain/transfer.ts";
import type { Candidate } from "../domain/candidate.ts";
import { waitsForProof } from "../domain/evidence.ts";

/** As any statement reads it. */
export type TransferRow = Pick<
  sql.ListUnusedTransfersRow,
  "tx_hash" | "kind" | "ordinal" | "currency" | "sender" | "recipient" | "value"
>;

export function toTransfer({ tx_hash, kind, ordinal, value, ...row }: TransferRow): Transfer {
  return {
    txHash: toTxHash(tx_hash),
    kind,
    ordinal,
    value: toAmount(value),
    currency: toCurrency(row.currency),
    sender: toAddress(row.sender),
    recipient: toAddress(row.recipient),
  };
}

export type CandidateRow = sql.LeaseDueCandidatesRow;

export function toCandidate(row: CandidateRow): Candidate {
  return {
    id: row.id,
    subjectId: row.subject_id,
    projectId: row.project_id,
    mode: row.mode,
    requestId: row.request_id,
    chainId: toChainId(row.chain_id),
    txHash: toTxHash(row.tx_hash),
    claim: {
      recipient: toAddress(row.recipient),
      currency: toCurrency(row.currency),
      payer: row.payer === null ? undefined : toAddress(row.payer),
      ...(row.other_payers === null ? {} : { otherPayers: row.other_payers.map(toAddress) }),
      baseAmount: toAmount(row.base_amount),
      notBefore: row.not_before,
      notAfter: row.not_after ?? undefined,
    },
    payerDeclaredAt: row.payer_declared_at ?? undefined,
    merchantSubmitted: row.merchant_submitted,
    giveUpAt: row.give_up_at,
    attempt: row.attempt,
    found: row.found,
    askedAt: row.asked_at ?? undefined,
    misses: row.misses,
    sender:
      row.sender === null
        ? undefined
        : {
            address: toAddress(row.sender),
            nonce: Number(row.nonce),
            seenBlock: Number(row.seen_block),
          },
    firstSeenAt: row.first_seen_at ?? undefined,
    createdAt: row.created_at,
    namedOrder: row.named_order ?? row.id,
    epoch: row.epoch,
    reorgedAt: row.reorged_at ?? undefined,
    lookedAt: row.looked_at ?? undefined,
    isMined: waitsForProof(row.waits_for),
    needs: row.needs ?? undefined,
    needsTurn: row.needs_turn,
  };
}

/** A matching transfer and the block it was mined in, as statements write it. */
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
