// The changes of a merchant that a payment takes now. Each is judged by the function that decides the change itself.
import { Failure } from "@pay/failures";
import { toTxHash } from "@pay/values";
import { applySubmission } from "./apply-submission.ts";
import { type ChangeResult, cancel, resolve } from "./change.ts";
import type { Payment } from "./payment.ts";

/** A hash that no payment has: the judgement is about another one than the known. */
const NEW_HASH = toTxHash(`0x${"0".repeat(64)}`);

const DONE = new Failure("payment_status_invalid", "It is done already");

export interface Action {
  name: "cancel" | "submit_transaction" | "accept" | "reject";
  /** Undefined where the payment takes it. */
  failure: Failure | undefined;
}

export function listActions(payment: Payment, now: Date): Action[] {
  const submission = { txHash: NEW_HASH, payer: undefined, byMerchant: true, assign: false };
  return [
    { name: "accept", failure: findFailure(resolve(payment, true, now)) },
    { name: "reject", failure: findFailure(resolve(payment, false, now)) },
    {
      name: "submit_transaction",
      failure: findFailure(applySubmission(payment, submission, now)),
    },
    { name: "cancel", failure: findFailure(cancel(payment, now)) },
  ];
}

function findFailure(result: ChangeResult): Failure | undefined {
  if (result instanceof Failure) return result;
  return result.kind === "unchanged" ? DONE : undefined;
}
