// How much a wallet can settle. Decided under the lock of the wallet's row; a trigger has the last word.
import { Failure } from "@pay/failures";
import { toAmount, toBaseUnits } from "@pay/values";
import type { LockWalletRow } from "../generated/sql.ts";
import { computeShare, type Share } from "./balance.ts";

/** A row of the table. */
export type Wallet = LockWalletRow;

/** Money that neither refunds nor settlements take; negative when refunds hold more than arrived. */
export function computeAvailable({ credited, reserved_refunds, settled }: Wallet): bigint {
  return credited - reserved_refunds - settled;
}

/** The part of the wallet that a settlement takes: all of it where the request has no amount. */
export function computeSettlement(
  wallet: Wallet | undefined,
  amount: string | null,
): Share | Failure {
  if (wallet === undefined) {
    return new Failure(
      "field_invalid",
      "currency must be one that sourceAddress has received on this chain",
    );
  }
  const free = computeAvailable(wallet);
  if (free <= 0n) {
    return new Failure("settlement_nothing_left", "The wallet has nothing to settle");
  }
  const { decimals } = wallet;
  const whole = computeShare(toAmount(free), decimals);
  if (amount === null) return whole;
  const base = toBaseUnits(amount, decimals);
  if (base === undefined || base === 0n) {
    return new Failure(
      "field_invalid",
      `amount must be a positive decimal string with at most ${decimals} fraction digits`,
    );
  }
  if (base > free) {
    return new Failure(
      "settlement_amount_too_large",
      `Settlement amount exceeds the ${whole.amount} that the wallet can settle`,
    );
  }
  return { amount, base };
}

const UNCOVERED = {
  settlements_covered:
    "Refunds have reserved a part of the amount; reject this settlement and request a smaller one",
  settlements_received:
    "A payment that the amount counts on has left the chain; wait until it is proven again, or reject this settlement",
} as const;

/** The failure of a settlement that violates a constraint on its wallet; undefined for another constraint. */
export function toUncoveredFailure(constraint: string | undefined): Failure | undefined {
  return constraint !== undefined && Object.hasOwn(UNCOVERED, constraint)
    ? new Failure("settlement_uncovered", UNCOVERED[constraint as keyof typeof UNCOVERED])
    : undefined;
}
