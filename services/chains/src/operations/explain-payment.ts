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

/** What is stored, without a question to a provider: the answer says when each transaction was verified last. */
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

/** What the merchant has named stays its own where the follower saw the transfer before the event of its hash came. */
function getSource(row: FindExaminationsRow): string {
  if (row.merchant_submitted) return "merchant";
  return row.found || row.asked_at !== null ? "chain" : "shopper";
}

/** The head is not asked for where the first block is enough, and may have been asked for before that block came. */
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
    ...given({ reason: row.reason, provingTxHash: row.proving_tx_hash, payer: row.payer }),
    ...given({ waitsFor: row.state === "waiting" ? row.waits_for : null }),
    ...given({ minedBlock: row.mined_block, chainHead: getHead(row) }),
    ...given({ providersAgreeing: row.providers_agreeing }),
    ...given({ providersContradicting: row.providers_contradicting }),
    submittedAt: timestampFromDate(row.created_at),
    ...given({ firstSeenAt: toTime(row.first_seen_at), lookedAt: toTime(row.looked_at) }),
    ...given({ judgedAt: toTime(row.judged_at), notAfter: toTime(row.not_after) }),
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

type Given<T> = { [K in keyof T]?: Exclude<T[K], null> };

/** Without the fields that are null. */
function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null),
  ) as Given<T>;
}
