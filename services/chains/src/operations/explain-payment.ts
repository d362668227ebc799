import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  ExaminedTransactionSchema,
  ExplainPaymentRequest,
  ExplainPaymentResponseSchema,
} from "@pay/proto";
import { parseTenant } from "@pay/rpc";
import { type Paid, type TransactionSource, toChainId, type VerdictState } from "@pay/values";
import type { Outcome } from "../attribution/domain/money.ts";
import { listOutcomes } from "../attribution/domain/rules.ts";
import type { Deps } from "../deps.ts";
import {
  type FindExaminedTransfersRow,
  type FindPaymentTransactionsRow,
  findExaminedTransfers,
  findPaymentTransactions,
} from "../generated/sql.ts";
import { toTransfer } from "../messages.ts";

const TRANSACTIONS_MAX = 50;
const TRANSFERS_MAX = 200;

/** The stored state, without a request to a provider; each transaction has the time of its last verification. */
export async function explainPayment(
  { pool, getFinality }: Deps,
  { tenant, paymentId }: ExplainPaymentRequest,
): Promise<MessageInitShape<typeof ExplainPaymentResponseSchema>> {
  const owner = parseTenant(tenant);
  const rows = await findPaymentTransactions(pool, { ...owner, paymentId, max: TRANSACTIONS_MAX });
  const [first] = rows;
  if (first === undefined) return { transactions: [] };
  const transfers = await findExaminedTransfers(pool, {
    ...owner,
    chainId: first.chain_id,
    recipient: first.recipient,
    currency: first.currency,
    txHashes: rows.flatMap(({ tx_hash, replaced_by }) => [tx_hash, replaced_by ?? tx_hash]),
    max: TRANSFERS_MAX,
  });
  const finality = getFinality(toChainId(first.chain_id));
  return {
    transactions: rows.map((row) =>
      toExamined(
        row,
        transfers.filter(({ tx_hash: hash }) => hash === row.tx_hash || hash === row.replaced_by),
        paymentId,
      ),
    ),
    ...(finality && { finality: { mode: finality.mode, confirmations: finality.confirmations } }),
  };
}

function getSource({ by_merchant, is_submitted }: FindPaymentTransactionsRow): TransactionSource {
  if (by_merchant) return "merchant";
  return is_submitted ? "shopper" : "chain";
}

/** The head is not read where one confirmation is enough, and may be older than the block. */
function getHead({ chain_head: head, block_number: mined }: FindPaymentTransactionsRow) {
  return head !== null && mined !== null && mined > head ? mined : head;
}

function getState({ state, outcome }: FindPaymentTransactionsRow): VerdictState {
  if (outcome === "counted") return state === "waiting" ? "waiting" : "confirmed";
  if (outcome === "not_found") return "abandoned";
  return outcome === null ? "waiting" : "rejected";
}

function toExamined(
  row: FindPaymentTransactionsRow,
  transfers: readonly FindExaminedTransfersRow[],
  paymentId: string,
): MessageInitShape<typeof ExaminedTransactionSchema> {
  const { waits_for: waitsFor, replaced_by: replacedBy } = row;
  const outcome = row.outcome as Outcome | null;
  const state = getState(row);
  return {
    txHash: row.tx_hash,
    source: getSource(row),
    state,
    ...withoutNulls({ reason: outcome === "counted" ? null : outcome }),
    ...withoutNulls({ provingTxHash: outcome === "counted" ? replacedBy : null }),
    ...withoutNulls({ waitsFor: state === "waiting" ? waitsFor : null }),
    ...withoutNulls({ minedBlock: row.block_number, chainHead: getHead(row) }),
    ...withoutNulls({ providersAgreeing: row.providers_agreeing }),
    ...withoutNulls({ providersContradicting: row.providers_contradicting }),
    submittedAt: timestampFromDate(row.created_at),
    ...withoutNulls({ firstSeenAt: toTime(row.first_seen_at), lookedAt: toTime(row.looked_at) }),
    ...withoutNulls({ judgedAt: toTime(row.judged_at) }),
    rules: listOutcomes({
      state: row.state ?? undefined,
      outcome: state === "waiting" ? undefined : (outcome ?? undefined),
      waitsFor: waitsFor ?? undefined,
    }),
    transfers: transfers.map((transfer) => ({
      transfer: toTransfer({ ...transfer, subject_id: transfer.payment_id ?? "" }),
      blockHash: transfer.block_hash,
      status: transfer.status,
      pays: getPaid(transfer, paymentId),
      ...withoutNulls({ rule: transfer.payment_id === paymentId ? transfer.rule : null }),
      ...withoutNulls({ reason: transfer.reason }),
    })),
  };
}

function getPaid({ payment_id, subject_id }: FindExaminedTransfersRow, paymentId: string): Paid {
  const paid = payment_id ?? subject_id;
  if (paid === null) return "nothing";
  return paid === paymentId ? "this" : "other";
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
