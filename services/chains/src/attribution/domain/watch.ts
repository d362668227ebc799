// A watch is an open payment: transfers to its recipient may pay it, whether or not a hash is submitted.
import type { Address, Amount, ChainId, Currency, TxHash } from "@pay/values";
import type { Submission } from "./candidate.ts";

export interface Watch {
  paymentId: string;
  projectId: string;
  mode: number;
  requestId: string;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
  payer: Address | undefined;
  payerDeclaredAt: Date | undefined;
  /** When the payer proved by a signature that it will pay. */
  payerSignedAt: Date | undefined;
  baseAmount: Amount;
  openedAt: Date;
  expiresAt: Date;
  isOpen: boolean;
  /** Its merchant has cancelled it. */
  isCancelled: boolean;
  /** Its project lets the first claim win where none is signed. */
  firstWins: boolean;
  /** Of the payment. */
  version: number;
}

interface Cancellable {
  status: string;
  failureCode?: string | undefined;
}

/** Its merchant has ended it; what comes all the same is for the merchant to decide about. */
export function isCancelled({ status, failureCode }: Cancellable) {
  return status === "expired" && failureCode === "cancelled";
}

const SECOND_MS = 1_000;
const GRACE_MS = 60 * 60_000;
/** Before any hash is submitted for it, so that a submission is always the newer attempt. */
const FOUND_ATTEMPT = 0;

/**
 * A transfer that no one names pays only what was asked for before it was mined: no slack for clocks, because a payment
 * could be created for a transfer that has just arrived. Blocks tell whole seconds.
 */
export function watchedSince({ openedAt }: Pick<Watch, "openedAt">): Date {
  return new Date(Math.floor(openedAt.getTime() / SECOND_MS) * SECOND_MS);
}

/**
 * The claim of a watch on a transaction that was found for it, perhaps long after its time: not every node shows it
 * at once.
 */
export function foundSubmission(watch: Watch, txHash: TxHash, now: Date): Submission {
  const { recipient, currency, payer, baseAmount, expiresAt } = watch;
  return {
    subjectId: watch.paymentId,
    projectId: watch.projectId,
    mode: watch.mode,
    requestId: watch.requestId,
    chainId: watch.chainId,
    txHash,
    claim: {
      recipient,
      currency,
      payer,
      baseAmount,
      notBefore: watchedSince(watch),
      notAfter: expiresAt,
    },
    payerDeclaredAt: watch.payerDeclaredAt,
    merchantSubmitted: false,
    giveUpAt: new Date(Math.max(expiresAt.getTime(), now.getTime()) + GRACE_MS),
    attempt: FOUND_ATTEMPT,
    found: true,
  };
}
