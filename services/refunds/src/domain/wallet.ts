// What a wallet of a project can settle. Decided under the lock of the wallet's row; a trigger has the last word.
import { Failure } from "@pay/failures";
import { toAmount, toBaseUnits } from "@pay/values";
import type { LockWalletRow } from "../generated/sql.ts";
import { computeShare, type Share } from "./balance.ts";

/** A row of the table. */
export type Wallet = LockWalletRow;

/** What arrived and is neither held by refunds nor on its way to a treasury; negative when refunds hold more. */
function available({ credited, reserved_refunds, settled }: Wallet): bigint {
  return credited - reserved_refunds - settled;
}

/** The part of the wallet that a settlement takes: all of it where the merchant names no amount. */
export function settled(wallet: Wallet | undefined, amount: string | null): Share | Failure {
  if (wallet === undefined) {
    return new Failure(
      "field_invalid",
      "currency must be one that sourceAddress has received on this chain",
    );
  }
  const free = available(wallet);
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

/** Why an approved settlement would take what refunds hold. */
export function uncovered(): Failure {
  return new Failure(
    "settlement_uncovered",
    "Refunds hold a part of the amount by now; reject this settlement and request a smaller one",
  );
}
