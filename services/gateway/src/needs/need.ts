// What waits for a person of the shop, as the services tell it. A thing waits for one reason at a time, so its id names
// the need, too.
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type {
  ArrivedTransfer,
  Book,
  FailingEndpoint,
  Payment,
  Refund,
  Settlement,
} from "@pay/proto";
import { toAmount, toDecimal, toSignedDecimal } from "@pay/values";

export const NEED_KINDS = [
  "part",
  "late",
  "ambiguous",
  "review",
  "wrong_token",
  "unmatched_transfer",
  "refund_destination",
  "refund_signature",
  "settlement_approval",
  "settlement_signature",
  "endpoint_failing",
  "endpoint_disabled",
  "book_difference",
] as const;

export type NeedKind = (typeof NEED_KINDS)[number];

export interface Need {
  id: string;
  kind: NeedKind;
  /** Of the thing; the list is in its order. */
  at: Date;
  amount: string | null;
  receivedAmount: string | null;
  chainId: bigint | null;
  currency: string | null;
  orderId: string | null;
  paymentId: string | null;
  detail: string | null;
  failures: number | null;
  requestedBy: string | null;
  /** What a state counts for, where that is not the kind alone. */
  about?: string;
}

const NOTHING = {
  amount: null,
  receivedAmount: null,
  chainId: null,
  currency: null,
  orderId: null,
  paymentId: null,
  detail: null,
  failures: null,
  requestedBy: null,
};

function toDate(at: Timestamp | undefined): Date {
  if (at === undefined) throw new Error("a service returned a record without its time");
  return timestampDate(at);
}

const BY_FAILURE: Readonly<Record<string, NeedKind>> = {
  underpaid: "part",
  late: "late",
  ambiguous: "ambiguous",
  wrong_token: "wrong_token",
};

/** What a person has not decided yet. */
export function describePayment(payment: Payment): Need | undefined {
  const { needs, failureCode = "", lateDecision, receivedBaseAmount, decimals } = payment;
  const kind = needs === "review" ? needs : BY_FAILURE[failureCode];
  if (kind === undefined || lateDecision !== undefined) return undefined;
  const received = receivedBaseAmount === undefined ? null : toAmount(receivedBaseAmount);
  return {
    ...NOTHING,
    id: payment.id,
    kind,
    at: toDate(payment.createdAt),
    amount: payment.amount,
    receivedAmount: received === null ? null : toDecimal(received, decimals),
    chainId: payment.chainId,
    currency: payment.currency,
    orderId: payment.orderId ?? null,
    paymentId: payment.id,
  };
}

/** Dust and what the shop sent itself wait for nobody. */
const UNDECIDED: ReadonlySet<string> = new Set([
  "several_fit",
  "more_than_due",
  "held",
  "late",
  "no_payment",
  "named_elsewhere",
  "unknown_reference",
  "wrong_currency",
]);

export function describeTransfer(arrived: ArrivedTransfer): Need | undefined {
  const { id, reason, transfer, decimals, chainId, currency } = arrived;
  if (transfer === undefined || reason === undefined || !UNDECIDED.has(reason)) return undefined;
  if (transfer.subjectId !== "") return undefined;
  return {
    ...NOTHING,
    id,
    kind: "unmatched_transfer",
    at: toDate(transfer.minedAt),
    amount: toDecimal(toAmount(transfer.baseAmount), decimals),
    chainId,
    currency,
    detail: reason,
  };
}

/** What a refund or a settlement waits for while its transaction is not there. */
const BY_STATUS: Readonly<Record<string, NeedKind>> = {
  created: "refund_signature",
  requested: "settlement_approval",
  approved: "settlement_signature",
};

/** Nothing is to be signed by the shop where the service signs, or where a transaction is on its way. */
function isSigned({
  txHash,
  heldReason,
  serviceSigned,
}: Pick<Refund | Settlement, "txHash" | "heldReason" | "serviceSigned">): boolean {
  return serviceSigned || (txHash !== undefined && heldReason === undefined);
}

export function describeRefund(refund: Refund): Need | undefined {
  const { status, needs } = refund;
  const kind = BY_STATUS[status];
  if (kind === undefined || (needs === undefined && isSigned(refund))) return undefined;
  return {
    ...NOTHING,
    id: refund.id,
    kind: needs === undefined ? kind : "refund_destination",
    at: toDate(refund.createdAt),
    amount: refund.amount,
    chainId: refund.chainId,
    currency: refund.currency,
    orderId: refund.orderId ?? null,
    paymentId: refund.paymentId,
    detail: refund.reason ?? null,
    requestedBy: refund.requestedBy ?? null,
  };
}

export function describeSettlement(settlement: Settlement): Need | undefined {
  const kind = BY_STATUS[settlement.status];
  if (kind === undefined || (kind === "settlement_signature" && isSigned(settlement))) {
    return undefined;
  }
  return {
    ...NOTHING,
    id: settlement.id,
    kind,
    at: toDate(settlement.createdAt),
    amount: settlement.amount,
    chainId: settlement.chainId,
    currency: settlement.currency,
    detail: settlement.destinationAddress,
    requestedBy: settlement.requestedBy,
  };
}

export function describeEndpoint({ endpoint, failures, failingSince }: FailingEndpoint): Need {
  if (endpoint === undefined) throw new Error("a service returned no endpoint");
  return {
    ...NOTHING,
    id: endpoint.id,
    kind: endpoint.disabledReason === "" ? "endpoint_failing" : "endpoint_disabled",
    at: toDate(failingSince ?? endpoint.updatedAt),
    detail: endpoint.url ?? null,
    failures,
  };
}

/** Where the chain is not known to say what the records do. A note about one difference is not one about another. */
export function describeBook(book: Book): Need | undefined {
  const { difference, isClosed, balance } = book;
  if (difference === "0") return undefined;
  if (difference === undefined && !(isClosed && balance === undefined)) return undefined;
  return {
    ...NOTHING,
    id: book.id,
    kind: "book_difference",
    about: `book_difference ${difference ?? "unknown"}`,
    at: new Date(`${book.month}-01`),
    amount: difference === undefined ? null : toSignedDecimal(BigInt(difference), book.decimals),
    chainId: book.chainId,
    currency: book.currency,
    detail: book.month,
  };
}
