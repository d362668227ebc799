// What each surface of the product tells of a payment, and what a story expects it to tell.
import { callAs, getWallet, type Stage, toBase, toCoins } from "./play-story.ts";
import type { Order } from "./shop.ts";
import type { Told } from "./told-stories.ts";
import type { Stories } from "./visits.ts";

export interface Telling {
  told: Told;
  order: Order;
  /** What was asked for, as the story writes it. */
  amount: string;
}

const EXTRAS = "failureCode,receivedAmount,refundedAmount,needs,timeline";

function orNull(amount: string | null): string | null {
  return amount === null || Number(amount) === 0 ? null : amount;
}

function subtract(amount: string, other: string | null): string {
  return `${(Number(amount) * 1_000 - Number(other ?? 0) * 1_000) / 1_000}`;
}

async function readPayment(stage: Stage, { order }: Telling) {
  return (await callAs(stage, "secret")("GET", `/v1/payments/${order.id}?expand=${EXTRAS}`)).body;
}

async function readStatus({ product }: Pick<Stage, "product">, { id, clientSecret }: Order) {
  const headers = { "x-client-secret": clientSecret };
  return (await product.askOnly("GET", `/v1/payments/${id}/status`, { headers })).body;
}

/** As its merchant reads it. */
export async function tellState(stage: Stage, telling: Telling) {
  const read = await readPayment(stage, telling);
  const { status, failureCode, needs } = read;
  const [received, refunded] = [orNull(read.receivedAmount), orNull(read.refundedAmount)];
  return { status, failureCode, received, refunded, needs };
}

export function expectState({ told }: Telling) {
  const { status, failureCode, received, refunded, needsSignature } = told;
  return {
    status,
    failureCode,
    received: received && toCoins(received),
    refunded: refunded && toCoins(refunded),
    needs: needsSignature ? "payer_signature" : null,
  };
}

/** Its heading without symbols, what it does not say although it has to, and whether it shows a code. */
export async function tellPage(stories: Stories, telling: Telling) {
  const { symbol } = await readStatus(stories, telling.order);
  const { page, context } = await stories.visit(telling.order);
  const heading = page.getByRole("heading", { level: 1 }).filter({ hasNotText: "Loading" });
  const title = simplify(await heading.innerText(), symbol);
  const text = simplify(await page.locator("body").innerText(), symbol);
  const hasCode = (await page.locator("svg.qr").count()) > 0;
  await context.close();
  const unsaid = describePage(telling).says.filter((one) => !text.includes(one));
  return { title, unsaid, hasCode };
}

function simplify(text: string, symbol: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll(` ${symbol}`, "");
}

const OVER: Readonly<Record<string, string>> = {
  late: "Your payment arrived late",
  cancelled: "The shop has cancelled this payment",
};

const REFUSED: Readonly<Record<string, string>> = {
  transfer_already_used: "This transaction has already paid another order",
  predates_payment: "The transaction is older than this payment",
};

export function expectPage(telling: Telling) {
  const { title, hasCode } = describePage(telling);
  return { title, unsaid: [], hasCode };
}

function describePage({ told, amount }: Telling) {
  const { status, failureCode, received, refunded, needsSignature } = told;
  const asked = toCoins(amount);
  const got = toCoins(received ?? "0");
  const isOpen = status === "pending" || status === "failed";
  function show(title: string, ...says: string[]) {
    return { title, says, hasCode: isOpen };
  }

  const back = refunded === null ? [] : [`${toCoins(refunded)} of ${got} sent back`];
  if (status === "confirmed") return show("Paid", `received your payment of ${got}.`, ...back);
  if (status === "refunded") return show("Refunded", ...back);
  if (status === "expired") {
    const title = OVER[failureCode ?? ""] ?? "The time to pay is over";
    return show(title, received === null ? "" : `${got} of ${asked} arrived.`);
  }
  if (needsSignature) return show("Show that this payment is yours");
  if (received !== null)
    return show(`${got} arrived. ${toCoins(subtract(amount, received))} to go.`);
  return status === "failed"
    ? show("The payment did not arrive as expected", REFUSED[failureCode ?? ""] ?? "")
    : show(`Pay ${asked}`);
}

/** As its shopper's page reads it. */
export async function tellStatus(stage: Stage, { order }: Telling) {
  const { status, receivedAmount, missingAmount, needs } = await readStatus(stage, order);
  return { status, received: orNull(receivedAmount), missing: missingAmount, needs };
}

export function expectStatus(telling: Telling) {
  const { told, amount } = telling;
  const { status, received, needs } = expectState(telling);
  const isPart = toBase(told.received ?? amount) < toBase(amount);
  const isMissing = isPart && status !== "confirmed" && status !== "refunded";
  return {
    status,
    received,
    missing: isMissing ? toCoins(subtract(amount, told.received)) : null,
    needs,
  };
}

export async function tellExplanation(stage: Stage, { order }: Telling) {
  const { body } = await callAs(stage, "secret")("GET", `/v1/payments/${order.id}/explain`);
  const { status, failureCode, receivedAmount, nextStep } = body;
  return { status, failureCode, received: orNull(receivedAmount), action: nextStep.action };
}

export function expectExplanation(telling: Telling) {
  const { status, failureCode, received } = expectState(telling);
  return { status, failureCode, received, action: expectAction(telling) };
}

function expectAction({ told, amount }: Telling): string {
  const { status, failureCode, received, refunded, needsSignature } = told;
  const isSurplus = toBase(received ?? "0") > toBase(amount);
  if (status === "confirmed") return isSurplus && refunded === null ? "refund" : "none";
  if (status === "refunded") return "none";
  if (status === "expired" && received !== null) return "resolve";
  if (status === "expired") return needsSignature ? "assign" : "none";
  if (needsSignature) return "sign";
  if (received !== null) return "pay_rest";
  return failureCode === null ? "pay" : "pay_again";
}

export interface Webhook {
  type: string;
  sequence: number;
  body: { id: string; status?: string; candidates?: string[] };
}

/** The status of the last webhook about it, and whether a transfer that may be meant for it was reported. */
export function tellWebhooks(webhooks: readonly Webhook[], { order }: Telling) {
  const own = webhooks
    .filter(({ type, body }) => type.startsWith("payment.") && body.id === order.id)
    .toSorted((a, b) => a.sequence - b.sequence);
  const unmatched = webhooks.filter(({ type }) => type === "transfer.unmatched");
  return {
    status: own.at(-1)?.body.status,
    isCandidate: unmatched.some(({ body }) => body.candidates?.includes(order.id)),
  };
}

function hasReason({ reason }: { reason: string | null }): boolean {
  return reason !== null;
}

/** Of an expired one the reason of its end: money that comes later is a step without one. */
export async function tellTimeline(stage: Stage, telling: Telling) {
  const { timeline } = await readPayment(stage, telling);
  const { status } = timeline.at(-1);
  const ends = status === "expired" ? timeline.filter(hasReason) : timeline;
  return { status, reason: ends.at(-1)?.reason };
}

/** What is refused as too much, what is due, and the wallet that gets it when nobody names one. */
export async function tellRefundable(stage: Stage, { told, order }: Telling) {
  const secret = callAs(stage, "secret");
  const left = told.refundTo === undefined ? "0" : subtract(told.received ?? "0", told.refunded);
  const wanted = { paymentId: order.id, amount: toCoins(subtract(left, "-0.001")) };
  const tooMuch = await secret("POST", "/v1/refunds", wanted);
  if (told.refundTo === undefined) return { refused: tooMuch.headers["x-error-code"] };
  const rest = { ...wanted, amount: toCoins(left) };
  const paid = await secret("POST", "/v1/refunds?expand=destinationAddress", rest);
  const to = paid.body.destinationAddress?.toLowerCase() ?? paid.headers["x-error-code"];
  return { refused: tooMuch.headers["x-error-code"], to };
}

export function expectRefundable(stage: Stage, { told }: Telling) {
  const { refundTo: to, refunded } = told;
  if (to === undefined) {
    return { refused: refunded === null ? "payment_not_refundable" : "payment_fully_refunded" };
  }
  const wallet = to === "?" ? "refund_destination_required" : getWallet(stage, to);
  return { refused: "refund_amount_too_large", to: wallet.toLowerCase() };
}

export interface StatementRow {
  type: string;
  paymentId: string;
  baseAmount: string;
}

/** The sums of its rows, as a story writes them. */
export function tellStatement(rows: readonly StatementRow[], { order }: Telling) {
  const own = rows.filter(({ paymentId }) => paymentId === order.id);
  function sum(type: string): string {
    const amounts = own.filter((row) => row.type === type).map((row) => BigInt(row.baseAmount));
    return `${amounts.reduce((total, amount) => total + amount, 0n)}`;
  }

  return { received: sum("payment"), refunded: sum("refund") };
}

export function expectStatement({ told }: Telling) {
  const { received, refunded } = told;
  return { received: `${toBase(received ?? "0")}`, refunded: `${toBase(refunded ?? "0")}` };
}
