import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  ExaminedTransactionSchema,
  ExplainPaymentRequest,
  ExplainPaymentResponseSchema,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { toChainId } from "@pay/values";
import { listOutcomes } from "../attribution/domain/rules.ts";
import { findExaminations } from "../attribution/storage/examinations.ts";
import type { Deps } from "../deps.ts";
import type { FindExaminationsRow, FindExaminedTransfersRow } from "../generated/sql.ts";
import { toTransfer } from "../messages.ts";

/** The stored state, without a request to a provider; each transaction has the time of its last verification. */
export async function explainPayment(
  { pool, getFinality }: Deps,
  { tenant, paymentId }: ExplainPaymentRequest,
): Promise<MessageInitShape<typeof ExplainPaymentResponseSchema>> {
  const { transactions, transfers } = await findExaminations(pool, parseTenant(tenant), paymentId);
  const [first] = transactions;
  const finality = first && getFinality(toChainId(first.chain_id));
  return {
    transactions: transactions.map((row) =>
      toExamined(
        row,
        transfers.filter(({ candidate_id }) => candidate_id === row.id),
      ),
    ),
    ...(finality && { finality: { mode: finality.mode, confirmations: finality.confirmations } }),
  };
}

/** A hash of the merchant stays the merchant's, also where the transfer was found before its event. */
function getSource(row: FindExaminationsRow): string {
  if (row.merchant_submitted) return "merchant";
  return row.found || row.asked_at !== null ? "chain" : "shopper";
}

/** The head is not read where one confirmation is enough, and may be older than the block. */
function getHead({ chain_head: head, mined_block: mined }: FindExaminationsRow): bigint | null {
  return head !== null && mined !== null && mined > head ? mined : head;
}

function toExamined(
  row: FindExaminationsRow,
  transfers: readonly FindExaminedTransfersRow[],
): MessageInitShape<typeof ExaminedTransactionSchema> {
  const progress = {
    state: row.state,
    reason: row.reason ?? undefined,
    waitsFor: row.waits_for ?? undefined,
  };
  return {
    txHash: row.tx_hash,
    source: getSource(row),
    state: row.state,
    ...withoutNulls({ reason: row.reason, provingTxHash: row.proving_tx_hash, payer: row.payer }),
    ...withoutNulls({ waitsFor: row.state === "waiting" ? row.waits_for : null }),
    ...withoutNulls({ minedBlock: row.mined_block, chainHead: getHead(row) }),
    ...withoutNulls({ providersAgreeing: row.providers_agreeing }),
    ...withoutNulls({ providersContradicting: row.providers_contradicting }),
    submittedAt: timestampFromDate(row.created_at),
    ...withoutNulls({ firstSeenAt: toTime(row.first_seen_at), lookedAt: toTime(row.looked_at) }),
    ...withoutNulls({ judgedAt: toTime(row.judged_at), notAfter: toTime(row.not_after) }),
    baseAmount: row.base_amount.toString(),
    notBefore: timestampFromDate(row.not_before),
    rules: listOutcomes(progress),
    transfers: transfers.map((transfer) => ({
      transfer: toTransfer(transfer),
      blockHash: transfer.block_hash,
      status: transfer.status,
      pays: transfer.pays,
    })),
  };
}

function toTime(date: Date | null) {
  return date === null ? null : timestampFromDate(date);
}

type NonNull<T> = { [K in keyof T]?: Exclude<T[K], null> };

/** Without the fields that are null. */
function withoutNulls<T extends object>(fields: T): NonNull<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  ) as NonNull<T>;
}
