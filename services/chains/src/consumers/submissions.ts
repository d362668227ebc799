// Hashes that merchants and shoppers submitted, as the payments and refunds services tell of them.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { Event, Payment, Refund } from "@pay/proto";
import type { ClientBase } from "pg";
import { paymentWindow, refundWindow, type Submission } from "../domain/candidate.ts";
import { insertCandidates } from "../storage.ts";

/** Answers the chains that have something to look at now. */
export const takeSubmissions = async (
  db: ClientBase,
  events: readonly Event[],
  now: Date,
): Promise<Set<number>> => {
  const submissions = events.flatMap((event) => submissionOf(event) ?? []);
  await insertCandidates(db, submissions, now);
  return new Set(submissions.map(({ chainId }) => chainId));
};

const submissionOf = (event: Event): Submission | undefined => {
  const { type, resource } = event;
  if (type === "payment.processing" && resource.case === "payment") {
    return ofPayment(event, resource.value);
  }
  if (type === "refund.submitted" && resource.case === "refund") {
    return ofRefund(event, resource.value);
  }
  return undefined;
};

const ofPayment = (event: Event, payment: Payment): Submission | undefined => {
  const { txHash, payerAddress, createdAt, expiresAt } = payment;
  if (txHash === undefined) return undefined;
  const window = paymentWindow({ createdAt: dateOf(createdAt), expiresAt: dateOf(expiresAt) });
  return {
    ...origin(event),
    chainId: Number(payment.chainId),
    txHash: txHash.toLowerCase(),
    claim: {
      recipient: payment.recipientAddress.toLowerCase(),
      currency: payment.currency.toLowerCase(),
      payer: payerAddress?.toLowerCase(),
      baseAmount: BigInt(payment.baseAmount),
      exact: false,
      notBefore: window.notBefore,
      notAfter: window.notAfter,
    },
    giveUpAt: window.giveUpAt,
    attempt: payment.version,
  };
};

/** A refund is a payment the other way round: from the shop to the shopper, and to the last unit. */
const ofRefund = (event: Event, refund: Refund): Submission | undefined => {
  const { txHash, createdAt } = refund;
  if (txHash === undefined) return undefined;
  const window = refundWindow({ createdAt: dateOf(createdAt) });
  return {
    ...origin(event),
    chainId: Number(refund.chainId),
    txHash: txHash.toLowerCase(),
    claim: {
      recipient: refund.destinationAddress.toLowerCase(),
      currency: refund.currency.toLowerCase(),
      payer: refund.sourceAddress.toLowerCase(),
      baseAmount: BigInt(refund.baseAmount),
      exact: true,
      notBefore: window.notBefore,
      notAfter: window.notAfter,
    },
    giveUpAt: window.giveUpAt,
    attempt: refund.version,
  };
};

const origin = ({ resourceId, projectId, mode, requestId }: Event) => ({
  ...{ subjectId: resourceId, projectId, mode, requestId },
});

const dateOf = (timestamp: Timestamp | undefined): Date => {
  if (timestamp === undefined) throw new Error("an event lacks one of its times");
  return timestampDate(timestamp);
};
