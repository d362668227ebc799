// What the rule must never do, in shops made at random.
import { expect, test } from "@jest/globals";
import { toAddress, toAmount, toTxHash } from "@pay/values";
import { attribute } from "./attribute.ts";
import type { Arrival } from "./decision.ts";
import type { Order } from "./orders.ts";

const MINUTE_MS = 60_000;
const UNIT = 1_000n;
const NAMES = ["a", "b", "c", "d", "e"];

function wallet(letter: string) {
  return toAddress(`0x${letter.charCodeAt(0).toString(16).padStart(40, "0")}`);
}

function hash(n: number | string) {
  return toTxHash(`0x${Number(n).toString(16).padStart(64, "0")}`);
}

function at(minutes: number): Date {
  return new Date(Date.UTC(2026, 0, 1) + Math.round(minutes * MINUTE_MS));
}

function amount(text: string) {
  return toAmount(BigInt(Math.round(Number(text) * Number(UNIT))));
}

/** A generator with a full period: the same seed makes the same shop. */
function createRandom(seed: number): (below: number) => number {
  let state = BigInt(seed) * 2n + 1n;
  return (below) => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) % 2n ** 64n;
    return Number((state >> 33n) % BigInt(below));
  };
}

/**
 * A small shop on one address: honest customers pay exactly what their order is due, once and in time, and sign some
 * orders that they abandon; some name their order. Thieves open orders, pay nothing, submit hashes of others, and
 * cancel or let expire.
 */
function playShop(seed: number): string[] {
  const random = createRandom(seed);
  const prices = ["5", "8", "10"].slice(0, 1 + random(3));
  const orders: Order[] = [];
  const arrivals: Arrival[] = [];
  const honest = new Set<string>();
  const submitted = new Map();
  const count = 2 + random(6);
  for (let n = 0; n < count; n++) {
    const opened = random(40);
    const isThief = random(10) < 4;
    const order: Order = {
      paymentId: `${isThief ? "thief" : "honest"}-${n}`,
      amount: amount(prices[random(prices.length)] ?? ""),
      openedAt: at(opened),
      endsAt: at(opened + (random(5) === 0 ? 2 + random(10) : 30)),
      signedBy:
        random(6) === 0 ? wallet(isThief ? "t" : (NAMES[n % NAMES.length] ?? "")) : undefined,
      isHeld: false,
      closedAt: undefined,
    };
    orders.push(order);
    if (isThief) continue;
    const minutes = opened + random(Math.floor((+order.endsAt - +order.openedAt) / MINUTE_MS));
    const txHash = hash(1_000 + n);
    // The wallet of the customer; some customers share an exchange.
    const sender = order.signedBy ?? wallet(random(4) === 0 ? "x" : String.fromCharCode(0x61 + n));
    if (sender !== wallet("x") && random(6) === 0) {
      const abandoned = { paymentId: `abandoned-${n}`, amount: amount("7"), signedBy: sender };
      orders.push({ ...order, ...abandoned });
    }
    arrivals.push({
      id: BigInt(n),
      txHash,
      sender,
      value: order.amount,
      blockNumber: minutes,
      arrivedAt: at(minutes),
      name: random(3) === 0 ? { kind: "here", paymentId: order.paymentId } : undefined,
      isDeposit: false,
      isAuthorized: false,
      fixed: undefined,
      grouped: undefined,
    });
    honest.add(order.paymentId);
    const thief = orders.find(({ paymentId }) => paymentId.startsWith("thief"));
    if (thief !== undefined && random(2) === 0) submitted.set(txHash, [thief.paymentId]);
  }
  arrivals.sort((a, b) => a.blockNumber - b.blockNumber || Number(a.id - b.id));
  const decisions = attribute({
    orders,
    arrivals,
    slackMs: 2_000,
    words: {
      assigned: new Map(),
      submitted,
      ownWallets: new Set(),
      payoutSources: new Set(),
      sweptAddresses: new Set(),
    },
  });
  return [...decisions.values()].flatMap((decision) =>
    "paymentId" in decision && !honest.has(decision.paymentId) ? [decision.paymentId] : [],
  );
}

test("no order that nobody paid gets money, in 10,000 shops with two orders of five a thief's", () => {
  for (let seed = 0; seed < 10_000; seed++) {
    expect({ seed, stolen: playShop(seed) }).toEqual({ seed, stolen: [] });
  }
});
