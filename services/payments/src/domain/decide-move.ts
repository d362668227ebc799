import {
  type Change,
  type HashVerdict,
  isAllowed,
  type Move,
  type Payment,
  type Status,
  type Trigger,
} from "./payment.ts";
import { deriveState, isJudged, isPaid, listHashes } from "./state.ts";

/** Why the facts of a payment change. */
export interface Reason {
  cause: "submission" | "money" | "refund" | "time" | "decision";
  /** The move that is made where the table allows it; else the new status decides. */
  trigger?: Trigger;
  /** The hash that the step of this trigger is about. */
  about?: HashVerdict | undefined;
  before?: Move["before"];
}

/** The move that changed facts make; undefined where the table of moves does not have it. */
export function decideMove(
  payment: Payment,
  change: Change,
  reason: Reason,
  now: Date,
): Move | undefined {
  const after = settle(payment, change, now);
  const { trigger: wanted, about, before } = reason;
  if (wanted !== undefined && isAllowed(wanted, payment.status, after.status))
    return { trigger: wanted, payment: after, about, before };
  const trigger = chooseTrigger(payment, after, reason.cause);
  if (!isAllowed(trigger, payment.status, after.status)) return undefined;
  return { trigger, payment: after, before };
}

/** The payment with its state and all that follows from it. */
function settle(payment: Payment, change: Change, now: Date): Payment {
  const facts = { ...payment, ...change };
  const { status, failureCode, dueAt } = deriveState(facts, now);
  const isProven = isPaid(facts);
  const moneyTx = getMoneyTx(facts);
  const txHash = chooseTxHash(facts, { isProcessing: status === "processing", moneyTx });
  return {
    ...facts,
    status,
    failure_code: failureCode,
    due_at: dueAt,
    tx_hash: txHash,
    money_tx_hash: moneyTx === txHash ? null : moneyTx,
    confirmed_at: isProven ? (facts.confirmed_at ?? now) : null,
    reorged_at: isProven ? null : facts.reorged_at,
    refunded_at: status === "refunded" ? (facts.refunded_at ?? now) : null,
    needs: isProven || isReviewOver(facts, status) ? null : facts.needs,
    arrived: isProven ? null : facts.arrived,
    version: payment.version + 1,
  };
}

/** The merchant has decided about money of screened wallets. */
function isReviewOver({ needs, screened, late_decision }: Payment, status: Status): boolean {
  return (
    needs === "review" &&
    screened !== null &&
    (late_decision === "accepted" || status === "refunded")
  );
}

/** The last transfer that counts. Its block is stored as soon as it is known. */
function getMoneyTx({ money_tx_hash, block_number, tx_hash }: Payment): string | null {
  return money_tx_hash ?? (block_number === null ? null : tx_hash);
}

/** While a submitted hash is verified it is the one that is shown. */
function chooseTxHash(
  facts: Payment,
  { isProcessing, moneyTx }: { isProcessing: boolean; moneyTx: string | null },
): string | null {
  const hashes = listHashes(facts);
  const pending = isProcessing ? hashes.findLast((one) => !isJudged(one)) : undefined;
  return pending?.hash ?? moneyTx ?? hashes.at(-1)?.hash ?? null;
}

function chooseTrigger(before: Payment, after: Payment, cause: Reason["cause"]): Trigger {
  if (before.status === after.status) return "change";
  const wasPaid = before.status === "confirmed" || before.status === "refunded";
  switch (after.status) {
    case "processing":
      if (wasPaid) return "revoke";
      return cause === "submission" ? "submit" : "observe";
    case "refunded":
      return "refund";
    case "confirmed":
      if (before.confirmed_at === null) return "confirm";
      break;
    case "failed":
      if (!wasPaid) return "fail";
      break;
    default:
      if (!wasPaid) return after.failure_code === "late" ? "expireLate" : "expire";
      if (before.status === "confirmed") return "voidAccepted";
  }
  return cause === "money" ? "receiveAgain" : "undoRefund";
}
