import type { ListPaymentSumsResponse, PaymentSum, PaymentSums } from "@pay/proto";
import { checksumAddress, toAddress, toChainId, toSignedDecimal } from "@pay/values";
import { z } from "zod";
import * as shown from "../field-values.ts";

const KINDS = ["started", "paid", "received", "refunded"] as const;

function sumShape(description: string) {
  return z
    .strictObject({
      payments: shown.integer("Number of payments.", 4),
      amount: shown.string("Sum in whole units of the currency, as a decimal string.", "50"),
    })
    .describe(description);
}

const sums = {
  chainId: shown.chainId,
  currency: shown.currency,
  started: sumShape("Payments created on the day."),
  paid: sumShape("Payments confirmed on the day."),
  received: sumShape(
    "Money of the day, and payments whose first it was; negative where a reorganisation took more.",
  ),
  refunded: sumShape(
    "Refunds completed on the day, and payments that they were the first of; negative where more were undone.",
  ),
};

const totals = z.strictObject(sums).meta({ id: "SummaryTotal" });
const day = z
  .strictObject({ day: shown.string("Day in UTC.", "2026-01-31"), ...sums })
  .meta({ id: "SummaryDay" });

export const summaryShape = z
  .strictObject({
    from: shown.string("First day.", "2026-01-02"),
    to: shown.string("Last day.", "2026-01-31"),
    medianWaitSeconds: shown.integerOrNull(
      "Median from creation to confirmation, of the newest 100 confirmed payments of the period; null without one.",
      14,
    ),
    totals: z.array(totals).describe("Sums of the whole period, by currency."),
    days: z.array(day).describe("Sums by day and currency, oldest first; none where nothing was."),
  })
  .meta({ id: "PaymentSummary" });

type Sums = Omit<PaymentSums, "day">;

export function renderSummary(
  period: { from: string; to: string },
  { sums: list, medianWaitSeconds }: ListPaymentSumsResponse,
) {
  const byCurrency = Map.groupBy(
    list,
    ({ chainId, currency, decimals }) => `${chainId} ${currency} ${decimals}`,
  );
  return {
    ...period,
    medianWaitSeconds: medianWaitSeconds ?? null,
    totals: [...byCurrency.values()].map((ofOne) => renderSums(ofOne)),
    days: list.map((one) => ({ day: one.day, ...renderSums([one]) })),
  };
}

function renderSums(ofOne: readonly Sums[]) {
  const { chainId, currency, decimals } = ofOne[0] as Sums;
  return {
    chainId: toChainId(chainId),
    currency: currency === "native" ? currency : checksumAddress(toAddress(currency)),
    ...Object.fromEntries(
      KINDS.map((kind) => [
        kind,
        addUp(
          ofOne.flatMap((one) => one[kind] ?? []),
          decimals,
        ),
      ]),
    ),
  };
}

function addUp(ofOne: readonly PaymentSum[], decimals: number) {
  const base = ofOne.reduce((total, { baseAmount }) => total + BigInt(baseAmount), 0n);
  return {
    payments: Number(ofOne.reduce((total, { payments }) => total + payments, 0n)),
    amount: toSignedDecimal(base, decimals),
  };
}
