// What an observation of the chain means for a payment.
import type { ObservedTransfer } from "@pay/events";
import type { TxHash } from "@pay/values";
import {
  type Change,
  type HashVerdict,
  type Move,
  move,
  type Payment,
  type Trigger,
} from "./payment.ts";

export type Outcome =
  | ({ kind: "moved" } & Move)
  /** Nothing new. */
  | { kind: "known" }
  /** Money is proven, and the payment cannot take it. */
  | { kind: "unapplied" }
  /** Its transaction is in a block and waits for its proof. */
  | { kind: "mined"; txHash: TxHash; blockNumber: bigint }
  /** It came after the payment had expired. */
  | { kind: "late"; txHash: TxHash }
  /** It does not match what the payment requires. */
  | { kind: "refused"; field: string };

export type ObservationHandler = (payment: Payment, seen: ObservedTransfer, now: Date) => Outcome;

export function tryMove(
  payment: Payment,
  trigger: Trigger,
  change: Change,
  otherwise: Outcome,
  about?: HashVerdict,
): Outcome {
  const moved = move(payment, trigger, change, about);
  return moved === undefined ? otherwise : { kind: "moved", ...moved };
}
