import { isAuthorized, type Look, type Server, type Status } from "@pay/sdk/browser";
import { toBase } from "./amount.ts";
import type { Opening } from "./opened.ts";

export type View = "loading" | "bad-link" | "used-link" | "ready" | "result";

/** Which screen is shown. A hash that was sent counts as under way, although the server may not know it yet. */
export function chooseView(known: {
  server: Server | undefined;
  opening: Opening;
  status: Status | undefined;
  trouble: Look["kind"] | undefined;
  sent: unknown;
  /** Its time is over by the server's clock, whatever the status says yet. */
  isOver: boolean;
}): View {
  const { server, opening, status, trouble, sent, isOver } = known;
  if (opening === "under-way") return "loading";
  if (opening === "refused") return "used-link";
  if (server === undefined || trouble === "bad-link") return "bad-link";
  if (status === undefined) return "loading";
  const isUntouched =
    (status.status === "created" || status.status === "pending") &&
    !isPartPaid(status) &&
    !isAuthorized(status) &&
    !needsProof(status);
  return isUntouched && !isOver && sent === undefined ? "ready" : "result";
}

export function shownAmount({ amount, symbol }: Pick<Status, "amount" | "symbol">): string {
  return `${amount} ${symbol}`.trim();
}

/** What is still to be paid: of an underpaid payment the rest. */
export function shownDue({ amount, missingAmount, symbol }: Status): string {
  return shownAmount({ amount: missingAmount ?? amount, symbol });
}

/** Some of the money has arrived, and the rest is still to come. */
export function isPartPaid({ receivedAmount, missingAmount }: Status): boolean {
  return receivedAmount !== null && missingAmount !== null;
}

/** A transfer may be meant for this payment or for another one, and its wallet has to say which. */
export function needsProof({ needs }: Status): boolean {
  return needs === "payer_signature";
}

/** The shop's own amount, written as the language writes its currency; no digit is added or left out. */
export function shownDisplayAmount(
  { displayAmount }: Status,
  language: string,
): string | undefined {
  if (displayAmount === null) return undefined;
  const { amount, currency } = displayAmount;
  const digits = amount.split(".")[1]?.length ?? 0;
  const format = new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(amount as Intl.StringNumericLiteral);
}

/** Whether the customer may still turn back: nothing has arrived and nothing is under way. */
export function isUntouched({ status, receivedAmount, arrived }: Status): boolean {
  const isOpen = status === "created" || status === "pending" || status === "failed";
  return isOpen && receivedAmount === null && arrived.length === 0;
}

/** How many hundredths of the amount have arrived. */
export function receivedPercent({ receivedAmount, amount, decimals }: Status): number {
  const received = toBase(receivedAmount ?? "0", decimals);
  return Number((received * 100n) / toBase(amount, decimals));
}
