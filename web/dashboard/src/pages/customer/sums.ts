// What a customer paid and got back, by network and token.
import { addAmount, isZero } from "../../amounts.ts";
import type { PaymentItem } from "../../api/records.ts";

export interface Sum {
  chainId: number;
  currency: string;
  payments: number;
  received: string;
  refunded: string;
}

/** Of the payments in which something arrived, in the order of the newest of each. */
export function sumPayments(payments: readonly PaymentItem[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { chainId, currency, receivedAmount, refundedAmount } of payments) {
    if (chainId === undefined || !receivedAmount || isZero(receivedAmount)) continue;
    const key = `${chainId} ${currency.toLowerCase()}`;
    const sum = sums.get(key) ?? { chainId, currency, payments: 0, received: "0", refunded: "0" };
    sums.set(key, {
      ...sum,
      payments: sum.payments + 1,
      received: addAmount(sum.received, receivedAmount),
      refunded: addAmount(sum.refunded, refundedAmount ?? "0"),
    });
  }
  return [...sums.values()];
}
