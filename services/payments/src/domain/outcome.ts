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
  | { kind: "unchanged" }
  /** Proven money that the payment cannot take. */
  | { kind: "unapplied" }
  /** A mined transaction that waits for its proof. */
  | { kind: "mined"; txHash: TxHash; blockNumber: bigint }
  /** A transfer after the payment had expired. */
  | { kind: "late"; txHash: TxHash }
  /** A field of the observation differs from the payment. */
  | { kind: "mismatch"; field: string };

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
