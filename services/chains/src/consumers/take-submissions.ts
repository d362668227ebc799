// Submitted hashes from the events of payments, refunds and settlements.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { EventType } from "@pay/events";
import type { Event, PaymentSnapshot, RefundSnapshot, SettlementSnapshot } from "@pay/proto";
import {
  type ChainId,
  isId,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toTxHash,
} from "@pay/values";
import type { ClientBase } from "pg";
import {
  outgoingWindow,
  paymentWindow,
  type Submission,
  withoutEnd,
} from "../attribution/domain/candidate.ts";
import { insertCandidates } from "../attribution/storage/candidates.ts";
import {
  insertKnownRecipients,
  type KnownRecipient,
} from "../attribution/storage/known-recipients.ts";
import { repeatProofs } from "../attribution/storage/proofs.ts";
import { submissionsTotal } from "../metrics.ts";

/** The events that submit a hash. A payment also has one when its merchant accepts a late transfer. */
const SUBMITTED = {
  payment: "payment.processing",
  accepted: "payment.late_accepted",
  refund: "refund.submitted",
  settlement: "settlement.submitted",
} as const satisfies Record<string, EventType>;

export const SUBMISSION_TYPES: readonly EventType[] = Object.values(SUBMITTED);

/** Returns the chains that have candidates to verify now. */
export async function takeSubmissions(
  db: ClientBase,
  events: readonly Event[],
  now: Date,
): Promise<Set<ChainId>> {
  const submissions = events.flatMap((event) => toSubmission(event, now) ?? []);
  const taken = await insertCandidates(db, submissions, now);
  await insertKnownRecipients(db, submissions.flatMap(toKnownRecipients));
  // After the insertion, which waits for a verdict that is being written just now.
  const repeated = await repeatProofs(db, submissions, now);
  submissionsTotal.inc({ outcome: "taken" }, taken);
  submissionsTotal.inc({ outcome: "known" }, submissions.length - taken);
  submissionsTotal.inc({ outcome: "repeated" }, repeated);
  return new Set(submissions.map(({ chainId }) => chainId));
}

/** Refunds and settlements are visible to the tenant where they arrive; watches give the recipients of payments. */
function toKnownRecipients({ subjectId, claim, ...submission }: Submission): KnownRecipient[] {
  if (isId("pay", subjectId)) return [];
  const { recipient, currency, payer: sender, notBefore: since } = claim;
  const { projectId, mode, chainId } = submission;
  return [{ projectId, mode, chainId, recipient, currency, sender, since }];
}

function toSubmission(event: Event, now: Date): Submission | undefined {
  const { type, resource } = event;
  if ((type === SUBMITTED.payment || type === SUBMITTED.accepted) && resource.case === "payment") {
    return toPaymentSubmission(event, resource.value, now);
  }
  if (type === SUBMITTED.refund && resource.case === "refund") {
    const { paymentConfirmedAt, createdAt } = resource.value;
    return toOutgoingSubmission(event, resource.value, {
      owedSince: paymentConfirmedAt ?? createdAt,
      now,
    });
  }
  if (type === SUBMITTED.settlement && resource.case === "settlement") {
    return toOutgoingSubmission(event, resource.value, {
      owedSince: resource.value.approvedAt,
      now,
    });
  }
  return undefined;
}

function toPaymentSubmission(
  event: Event,
  payment: PaymentSnapshot,
  now: Date,
): Submission | undefined {
  const { txHash, payerAddress, payerDeclaredAt, createdAt, expiresAt } = payment;
  if (txHash === undefined) return undefined;
  const open = paymentWindow({ createdAt: toDate(createdAt), expiresAt: toDate(expiresAt) });
  // The merchant has accepted this transaction, whatever its time and sender.
  const isDecided =
    payment.lateDecision === "accepted" &&
    (event.type === SUBMITTED.accepted || payment.merchantSubmitted);
  const window = isDecided ? withoutEnd(open, now) : open;
  return {
    ...origin(event),
    chainId: toChainId(payment.chainId),
    txHash: toTxHash(txHash),
    claim: {
      recipient: toAddress(payment.recipientAddress),
      currency: toCurrency(payment.currency),
      payer: payerAddress === undefined || isDecided ? undefined : toAddress(payerAddress),
      baseAmount: toAmount(payment.baseAmount),
      notBefore: window.notBefore,
      notAfter: window.notAfter,
    },
    payerDeclaredAt: payerDeclaredAt && timestampDate(payerDeclaredAt),
    merchantSubmitted: payment.merchantSubmitted,
    giveUpAt: window.giveUpAt,
    attempt: payment.version,
    found: false,
  };
}

/** A refund or settlement is paid from the merchant's wallet, and only the merchant submits its hash. */
function toOutgoingSubmission(
  event: Event,
  outgoing: RefundSnapshot | SettlementSnapshot,
  { owedSince, now }: { owedSince: Timestamp | undefined; now: Date },
): Submission | undefined {
  const { txHash } = outgoing;
  if (txHash === undefined) return undefined;
  const window = outgoingWindow({ owedSince: toDate(owedSince), now });
  return {
    ...origin(event),
    chainId: toChainId(outgoing.chainId),
    txHash: toTxHash(txHash),
    claim: {
      recipient: toAddress(outgoing.destinationAddress),
      currency: toCurrency(outgoing.currency),
      payer: toAddress(outgoing.sourceAddress),
      otherPayers: "payoutWallets" in outgoing ? outgoing.payoutWallets.map(toAddress) : [],
      baseAmount: toAmount(outgoing.baseAmount),
      notBefore: window.notBefore,
      notAfter: window.notAfter,
    },
    payerDeclaredAt: undefined,
    merchantSubmitted: true,
    giveUpAt: window.giveUpAt,
    attempt: outgoing.version,
    found: false,
  };
}

function origin({ resourceId, projectId, mode, requestId }: Event) {
  return { subjectId: resourceId, projectId, mode, requestId };
}

function toDate(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) throw new Error("an event lacks one of its times");
  return timestampDate(timestamp);
}
