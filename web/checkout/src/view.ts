import type { Look, Server, Status } from "@pay/sdk/browser";
import type { Opening } from "./opened.ts";

export type View = "loading" | "bad-link" | "used-link" | "ready" | "result";

/** Which screen is shown. A hash that was sent counts as under way, although the server may not know it yet. */
export function chooseView(known: {
  server: Server | undefined;
  opening: Opening;
  status: Status | undefined;
  trouble: Look["kind"] | undefined;
  sent: unknown;
}): View {
  const { server, opening, status, trouble, sent } = known;
  if (opening === "under-way") return "loading";
  if (opening === "refused") return "used-link";
  if (server === undefined || trouble === "bad-link") return "bad-link";
  if (status === undefined) return "loading";
  const isOpen = status.status === "created" || status.status === "pending";
  return isOpen && sent === undefined ? "ready" : "result";
}

export function shownAmount({ amount, symbol }: Pick<Status, "amount" | "symbol">): string {
  return `${amount} ${symbol}`.trim();
}

/** What is still to be paid: of an underpaid payment the rest. */
export function shownDue({ amount, missingAmount, symbol }: Status): string {
  return shownAmount({ amount: missingAmount ?? amount, symbol });
}
