// What a person whose role may not refund may refund all the same: so much of a token a day.
import { Failure } from "@pay/failures";
import type { RefundLimit } from "@pay/proto";
import { type Amount, toAmount, toBaseUnits, toCurrency, toDecimal } from "@pay/values";
import type { Refund } from "./refund.ts";

const DAY_MS = 24 * 60 * 60_000;

/** When the day of a refund began (UTC). */
export function findDay({ created_at }: Pick<Refund, "created_at">): Date {
  return new Date(Math.floor(created_at.getTime() / DAY_MS) * DAY_MS);
}

/** Undefined where the refund is within the limits, after what the person has requested on its day. */
export function checkLimits(
  limits: readonly RefundLimit[],
  refund: Pick<Refund, "chain_id" | "currency" | "decimals" | "base_amount">,
  requested: Amount,
): Failure | undefined {
  const { chain_id, decimals, base_amount } = refund;
  const currency = toCurrency(refund.currency);
  const limit = limits.find(
    (one) => one.chainId === BigInt(chain_id) && toCurrency(one.currency) === currency,
  );
  const most = toBaseUnits(limit?.perDay ?? "0", decimals) ?? 0n;
  if (requested + base_amount <= most) return undefined;
  const left = toDecimal(toAmount(most > requested ? most - requested : 0n), decimals);
  return new Failure("refund_limit_exceeded", `You may refund ${left} more of this currency today`);
}
