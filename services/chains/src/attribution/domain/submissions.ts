// What became of the transactions that were submitted for a payment.
import type { TxHash } from "@pay/values";
import type { Decision, Unmatched } from "./decision.ts";
import type { JudgedHash, Outcome } from "./money.ts";
import { isOpenAt, type Order } from "./orders.ts";

export interface Transaction {
  state: "waiting" | "proven" | "failed" | "missing";
  isMined: boolean;
  /** Contracts may have moved native coin, and no provider can tell. */
  isOpaque: boolean;
  isWrongToken: boolean;
  replacedBy: TxHash | undefined;
}

interface Place {
  order: Order;
  slackMs: number;
  /** Undefined where it is not known yet. */
  find(hash: TxHash): Transaction | undefined;
  /** Transfers of the transaction to the wallet, each with its decision. */
  list(hash: TxHash): readonly { arrivedAt: Date; decision: Decision | undefined }[];
  now: Date;
  /** So long after the end a wallet may sign before the hash counts as ambiguous. */
  signingMs: number;
}

export function judgeHash(txHash: TxHash, place: Place): JudgedHash {
  const transaction = place.find(txHash);
  const { replacedBy } = transaction ?? {};
  const replacement = replacedBy && place.find(replacedBy);
  const decisive = replacement ?? transaction;
  return {
    txHash,
    isMined: decisive?.isMined ?? false,
    replacedBy,
    needsReview: decisive?.state === "waiting" && decisive.isOpaque,
    outcome:
      decisive === undefined
        ? undefined
        : judge(replacedBy ?? txHash, decisive, place, replacedBy !== undefined),
  };
}

function judge(
  hash: TxHash,
  { state, isWrongToken }: Transaction,
  { order, slackMs, list, now, signingMs }: Place,
  isReplacement: boolean,
): Outcome | undefined {
  if (state === "waiting") return undefined;
  if (state === "missing") return isReplacement ? "replaced" : "not_found";
  if (state === "failed") return isReplacement ? "replaced" : "reverted";
  const transfers = list(hash);
  const decisions = transfers.flatMap(({ decision }) => decision ?? []);
  if (decisions.some((one) => "paymentId" in one && one.paymentId === order.paymentId)) {
    return "counted";
  }
  if (decisions.length < transfers.length) return undefined;
  const [first] = transfers;
  if (isReplacement) return "replaced";
  if (first === undefined) return isWrongToken ? "wrong_token" : "recipient_mismatch";
  if (decisions.every(isTaken)) return "transfer_already_used";
  const { arrivedAt } = first;
  if (arrivedAt > order.endsAt) return "late";
  if (!isOpenAt(order, arrivedAt, slackMs)) return "predates_payment";
  return now.getTime() > order.endsAt.getTime() + signingMs ? "ambiguous" : undefined;
}

const TAKEN: ReadonlySet<Unmatched> = new Set(["payout", "named_elsewhere"]);

/** It is for another payment, or pays a refund or a settlement. */
function isTaken(decision: Decision): boolean {
  return "paymentId" in decision || TAKEN.has(decision.reason);
}
