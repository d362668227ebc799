// The rule as a table, one line a story.
import { expect, test } from "@jest/globals";
import { toAddress, toAmount, toTxHash } from "@pay/values";
import { attribute } from "./attribute.ts";
import type { Arrival, Decision, Name } from "./decision.ts";
import type { Order } from "./orders.ts";

const MINUTE_MS = 60_000;
const UNIT = 1_000n;

/** A wallet by its letter, and a hash by its number. */
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

/** `a10@0-30` is the order a of 10, open from minute 0 to 30; `:w` signed by w; `!` closed; `~` on hold. */
const ORDER =
  /^(?<id>\w)(?<of>[\d.]+)@(?<from>-?[\d.]+)-(?<to>[\d.]+)(?::(?<by>\w))?(?:!(?<closed>[\d.]+))?(?<held>~?)$/;

function parseOrder(text: string): Order {
  const { id = "", of = "", from = "", to = "", by, closed, held } = ORDER.exec(text)?.groups ?? {};
  return {
    paymentId: id,
    amount: amount(of),
    openedAt: at(Number(from)),
    endsAt: at(Number(to)),
    signedBy: by === undefined ? undefined : wallet(by),
    isHeld: held === "~",
    closedAt: closed === undefined ? undefined : at(Number(closed)),
  };
}

/**
 * `w10@5` is 10 of the wallet w at minute 5; `=a` the merchant assigns it to a, `?a` its hash is submitted for a; `+a`
 * settled for a; `#a` its call names a, `#X` a payment of another wallet, `#_` one that nobody knows; `>a` it is sent
 * to the deposit address of a, `>X` to that of a payment in another currency; `&a` its authorization names a; `%a` its
 * group gave it to a, and others of the group are settled.
 */
const TRANSFER = /^(?<by>\w)(?<of>[\d.]+)@(?<when>[\d.]+)(?<words>(?:[=?+#>&%]\w)*)$/;

function toName(id: string): Name {
  if (id === "_") return { kind: "unknown" };
  return { kind: id === id.toUpperCase() ? "elsewhere" : "here", paymentId: id };
}

function decideStory(
  orders: string,
  transfers: string,
  { own = "", payouts = "", swept = "" }: { own?: string; payouts?: string; swept?: string } = {},
): string {
  const assigned = new Map();
  const submitted = new Map();
  const arrivals = transfers.split(" ").map((text, n): Arrival => {
    const { by = "", of = "", when = "", words = "" } = TRANSFER.exec(text)?.groups ?? {};
    let fixed: Decision | undefined;
    let grouped: Decision | undefined;
    let name: Name | undefined;
    let [isDeposit, isAuthorized] = [false, false];
    for (const [word, id = ""] of words.match(/../g)?.map((pair) => [...pair]) ?? []) {
      if (word === "+") {
        fixed = { paymentId: id, rule: "lone" };
        continue;
      }
      if (word === "%") {
        grouped = { paymentId: id, rule: "group" };
        continue;
      }
      if (word === "#" || word === ">" || word === "&") {
        name = toName(id);
        isDeposit = word === ">";
        isAuthorized = word === "&";
        continue;
      }
      const list = word === "=" ? assigned : submitted;
      list.set(hash(n), [...(list.get(hash(n)) ?? []), id]);
    }
    return {
      id: BigInt(n),
      txHash: hash(n),
      sender: wallet(by),
      value: amount(of),
      blockNumber: n,
      arrivedAt: at(Number(when)),
      name,
      isDeposit,
      isAuthorized,
      fixed,
      grouped,
    };
  });
  const decisions = attribute({
    orders: orders.split(" ").map(parseOrder),
    arrivals,
    slackMs: 2_000,
    words: {
      assigned,
      submitted,
      ownWallets: new Set([...own].map(wallet)),
      payoutSources: new Set([...payouts].map(wallet)),
      sweptAddresses: new Set([...swept].map(wallet)),
    },
  });
  return arrivals
    .map(({ id }) => {
      const decision = decisions.get(id);
      if (decision === undefined) return "-";
      if ("paymentId" in decision) return `${decision.paymentId}:${decision.rule}`;
      const { reason, candidates, unsigned } = decision;
      return `${reason}(${candidates.join("")}${unsigned.length > 0 ? `;${unsigned.join("")}` : ""})`;
    })
    .join(" ");
}

test.each([
  // name, orders, transfers, what becomes of each
  ["the only order that is due exactly this", "a10@0-30", "w10@5", "a:lone"],
  ["a thief's equal order beside the victim's", "a10@0-30 b10@4-30", "w10@5", "several_fit(ab;ab)"],
  ["a thief's cheaper order and the victim's hash", "a10@0-30 b8@4-30", "w10@5?b", "a:lone"],
  ["an order that was made after the transfer", "a10@6-30", "w10@5?a", "no_payment()"],
  ["an order that was made a moment after the block's stamp", "a10@5.03-30", "w10@5", "a:lone"],
  ["a larger transfer, with its hash", "a10@0-30", "w12@5?a", "more_than_due(a;a)"],
  ["a larger transfer that nobody submits", "a10@0-30", "w12@5", "more_than_due(a)"],
  ["a larger transfer of the wallet that signed", "a10@0-30:w", "w12@5", "a:signature"],
  ["a smaller transfer to the only order", "a10@0-30", "w9.5@5", "a:lone"],
  ["a part, and the rest by anyone", "a10@0-30", "w9.5@5 v0.5@6", "a:lone a:lone"],
  ["two halves from two wallets", "a10@0-30", "w5@5 v5@6", "a:lone a:lone"],
  ["the whole twice: the second names nothing", "a10@0-30", "w10@5 v10@6", "a:lone no_payment()"],
  [
    "the whole twice by the wallet that signed",
    "a10@0-30:w",
    "w10@5 w10@6",
    "a:signature a:signature",
  ],
  ["two alike orders, two wallets", "a10@0-30 b10@1-30", "w10@5 v10@6", "a:group b:group"],
  ["the same, the first is settled", "a10@0-30 b10@1-30", "w10@5+a v10@6%b", "a:lone b:group"],
  ["the same, the second is settled", "a10@0-30 b10@1-30", "w10@5%a v10@6+b", "a:group b:lone"],
  ["the same, the first assigned elsewhere", "a10@0-30 c9@2-30", "w10@5%a=c", "c:merchant"],
  [
    "two alike orders, one wallet twice",
    "a10@0-30 b10@1-30",
    "w10@5 w10@6",
    "several_fit(ab;ab) several_fit(ab;ab)",
  ],
  [
    "two alike orders: the one opened first gets the first transfer",
    "a10@1-30 b10@0-30",
    "w10@5 v10@6",
    "b:group a:group",
  ],
  [
    "two alike orders, opened at once: by their ids",
    "b10@0-30 a10@0-30",
    "w10@5 v10@6",
    "a:group b:group",
  ],
  [
    "two alike orders, and one wants no unnamed money",
    "a10@0-30 b10@0-30~",
    "w10@5 v10@6",
    "several_fit(ab;ab) several_fit(ab;ab)",
  ],
  [
    "two alike orders, and another wallet has signed one",
    "a10@0-30:z b10@0-30",
    "w10@5 v10@6",
    "several_fit(ab;ab) several_fit(ab;ab)",
  ],
  [
    "two groups at once, of other amounts",
    "a10@0-30 b10@0-30 c5@0-30 d5@0-30",
    "w5@5 v10@6 u10@7 t5@8",
    "c:group a:group b:group d:group",
  ],
  [
    "a group, and a transfer of another amount for one of its orders",
    "a10@0-30 b10@1-30 c6@2-30",
    "t4@3=a w10@5 v6@6 u10@7",
    "a:merchant a:group several_fit(ac;ac) b:group",
  ],
  [
    "a transfer of the same amount that has nothing to do with a later group",
    "a10@0-10 b10@0-10 c10@20-30 d10@20-30",
    "w10@5 v10@21 u10@22",
    "several_fit(ab;ab) c:group d:group",
  ],
  [
    "a group that hangs together by one order",
    "a10@0-6 b10@0-30 c10@5.5-30",
    "w10@5 v10@7 u10@8",
    "a:group b:group c:group",
  ],
  [
    "a group whose first transfer must leave the first orders to others",
    "a10@0-30 b10@1-30 c10@2-6",
    "w10@5 v10@7 u10@8",
    "c:group a:group b:group",
  ],
  ["opened as late after the block's stamp as is forgiven", "a10@5.033333-30", "w10@5", "a:lone"],
  ["in the last moment", "a10@0-5", "w10@5", "a:lone"],
  ["in the last moment, for a paid order", "a10@0-5", "w10@4 w10@5?a", "a:lone no_payment()"],
  ["late by exactly a day", "a10@0-30", "w10@1470", "a:lone"],
  [
    "late, exact, and an open order is due no more than this",
    "a10@20-60 b9.995@0-30",
    "v0.005@35 w9.995@36",
    "a:lone b:lone",
  ],
  ["more than one of two is due", "a10@0-30 b20@0-30", "w15@5", "several_fit(ab)"],
  ["dust for one of two", "a10@0-30 b100000@0-30", "w0.05@5", "several_fit(ab)"],
  ["a thousandth is no dust", "a10@0-30 b12@0-30", "v0.01@5", "several_fit(ab)"],
  ["a settled decision of a payment that is gone", "a10@0-30", "w10@5+z w10@6", "z:lone a:lone"],
  [
    "one transaction assigned to two, of which one is paid",
    "a4@0-30 b10@0-30",
    "w4@5=a=b w3@6=a=b",
    "a:merchant b:merchant",
  ],
  [
    "a part of the second of two signed orders",
    "a10@0-30:w b12@0-30:w",
    "w10@5 w5@6",
    "a:signature b:signature",
  ],
  [
    "another amount of the wallet that signed, after all is paid",
    "a10@0-30:w",
    "w10@5 w3@6",
    "a:signature a:signature",
  ],
  ["late, exact, no open order", "a10@0-30", "w10@31", "a:lone"],
  ["late for more than a day", "a10@0-30", "w10@1500", "no_payment()"],
  ["late, and an open order is due the same", "a10@0-30 b10@20-60", "w10@31", "b:lone"],
  ["late, exact, and a larger order is open", "a9.5@0-30 b10@20-60", "w9.5@31", "several_fit(ba)"],
  ["late with its hash, not what was due", "a10@0-30", "w9@31?a", "late()"],
  ["dust, then exactly the amount", "a10@0-30", "v0.001@4 w10@5", "a:lone a:lone"],
  ["a part, then the whole again", "a10@0-30", "w4@5 w10@6", "a:lone a:lone"],
  [
    "a part of the thief's order leaves what is due to the victim",
    "a10@0-30 b6@0-30",
    "t4@3=a w6@5",
    "a:merchant several_fit(ab;ab)",
  ],
  [
    "a trial of one in five thousand, then the rest",
    "a50000@0-30",
    "w10@5 w49990@6",
    "a:lone a:lone",
  ],
  ["exactly what is left, however little", "a10@0-30", "w9.995@5 w0.005@6", "a:lone a:lone"],
  ["dust while two orders are open", "a10@0-30 b12@0-30", "v0.005@5", "dust()"],
  ["a part while two orders are open", "a10@0-30 b12@0-30", "v5@5", "several_fit(ab)"],
  ["after a refund of the part", "a10@0-30!5", "w6@5.05", "no_payment()"],
  ["before the refund of the part", "a10@0-30!5.1", "w6@5", "a:lone"],
  ["late money after the refund of a part", "a10@0-30!31", "w10@31.05", "no_payment()"],
  ["late money before it", "a10@0-30!31.1", "w10@31", "a:lone"],
  ["accepted late money of a chain whose clock is ahead", "a10@0-30!31", "w10@31.03", "a:lone"],
  ["a project that wants no unnamed money", "a10@0-30~", "w10@5", "held(a;a)"],
  ["the same after the wallet has signed", "a10@0-30:w~", "w10@5", "a:signature"],
  ["a stranger's money for a signed order", "a10@0-30:w", "v10@5", "several_fit(a;a)"],
  [
    "two signed orders of one wallet",
    "a10@0-30:w b12@0-30:w",
    "w12@5 w10@6",
    "b:signature a:signature",
  ],
  [
    "two signed orders, neither due exactly this",
    "a10@0-30:w b12@0-30:w",
    "w11@5",
    "several_fit(ab)",
  ],
  [
    "a signed order of another amount, and a stranger's of this",
    "a10@0-30:w b12@0-30",
    "w12@5",
    "several_fit(ab;b)",
  ],
  [
    "the amount of a signed order again, when a stranger is due the same",
    "a10@0-30:w b10@6-30",
    "w10@5 w10@7",
    "a:signature several_fit(ab;b)",
  ],
  [
    "the amount of a signed order again, when another one that it signed is open",
    "a10@0-30:w b7@0-30:w",
    "w10@5 w10@7",
    "a:signature several_fit(ab)",
  ],
  [
    "another amount after a signed order is paid, exactly that of an open one",
    "a10@0-30:w b12@0-30",
    "w10@5 w12@7",
    "a:signature b:lone",
  ],
  ["the merchant's word, any amount and any time", "a10@0-30", "w3@900=a", "a:merchant"],
  ["one transaction assigned to two: the exact one", "a10@0-30 b4@0-30", "w4@5=a=b", "b:merchant"],
  [
    "two transfers assigned to two: each gets one",
    "a4@0-30 b4@0-30",
    "w4@5=a=b w4@5=a=b w4@5=a=b",
    "a:merchant b:merchant a:merchant",
  ],
  [
    "the merchant's word after a signature for another",
    "a10@0-30 b10@0-30:w",
    "w10@5=a",
    "a:merchant",
  ],
  ["named, beside a thief's equal order", "a10@0-30 b10@0-30", "w10@5#b?a", "b:reference"],
  ["authorized", "a10@0-30 b10@0-30", "w10@5&b?a", "b:authorization"],
  ["named, of any amount", "a10@0-30", "w3@5#a w12@6#a", "a:reference a:reference"],
  ["named twice", "a10@0-30", "w10@5#a v10@6#a", "a:reference a:reference"],
  ["named, late", "a10@0-30 b10@20-60", "w10@31#a", "a:reference"],
  ["named, after a refund of a part", "a10@0-30!5", "w10@6#a", "a:reference"],
  ["named, before it was created", "a10@6-30", "w10@5#a", "a:reference"],
  ["named, to a project that wants no unnamed money", "a10@0-30~", "w10@5#a", "a:reference"],
  ["named, of a wallet that signed for another", "a10@0-30:w b10@0-30", "w10@5#b", "b:reference"],
  ["named, and assigned to another", "a10@0-30 b10@0-30", "w10@5#a=b", "a:reference"],
  [
    "the other of two alike, after the named one",
    "a10@0-30 b10@0-30",
    "w10@5#b v10@6",
    "b:reference a:lone",
  ],
  [
    "the other of two alike, before the named one",
    "a10@0-30 b10@0-30",
    "v10@5 w10@6#b",
    "several_fit(ab;ab) b:reference",
  ],
  [
    "sent to a deposit address, less than an equal one is due",
    "a10@0-30 b4@0-30",
    "w4@5>a",
    "a:address",
  ],
  ["sent to a deposit address in another currency", "a10@0-30", "w10@5>X", "wrong_currency(X)"],
  ["names a payment of another wallet", "a10@0-30", "w10@5#X?a", "named_elsewhere(X)"],
  ["the same of a wallet that signed", "a10@0-30:w", "w10@5#X", "named_elsewhere(X)"],
  ["the same, assigned", "a10@0-30", "w10@5#X=a", "a:merchant"],
  ["names a payment that nobody knows", "a10@0-30", "w10@5#_", "unknown_reference()"],
  ["the same with its hash", "a10@0-30", "w10@5#_?a", "unknown_reference(a;a)"],
  ["the same of a wallet that signed", "a10@0-30:w", "w10@5#_", "a:signature"],
  [
    "an unnamed transfer fits two, and one is paid by its signed wallet",
    "a10@0-30 b10@0-30:v",
    "w10@5 v10@6",
    "several_fit(ab;ab) b:signature",
  ],
  [
    "two orders, a larger group than transfers",
    "a10@0-30 b10@0-30 c10@0-30",
    "w10@5 v10@6",
    "several_fit(abc;abc) several_fit(abc;abc)",
  ],
  [
    "three and three, the last completes the group",
    "a10@0-30 b10@0-30 c10@0-30",
    "w10@5 v10@6 u10@7",
    "a:group b:group c:group",
  ],
] as const)("%s", (_, orders, transfers, expected) => {
  expect(decideStory(orders, transfers)).toBe(expected);
});

test("money of a wallet of the merchant is for none without a hash", () => {
  expect(decideStory("a10@0-30", "w10@5", { own: "w" })).toBe("own_wallet()");
  expect(decideStory("a10@0-30", "w10@5?a", { own: "w" })).toBe("a:lone");
  expect(decideStory("a10@0-30", "w10@5#_", { own: "w" })).toBe("own_wallet()");
  expect(decideStory("a10@0-30", "w10@5#a", { own: "w" })).toBe("a:reference");
});

test("what a refund or a settlement waits for is for none, whatever else is said", () => {
  expect(decideStory("a10@0-30", "w10@5=a", { payouts: "w" })).toBe("payout()");
  expect(decideStory("a10@0-30", "w10@5#a", { payouts: "w" })).toBe("payout()");
});

test.each([
  [20, "group"],
  [21, "several_fit"],
] as const)("a group of %d transfers ends as %s", (count, expected) => {
  const names = [..."abcdefghijklmnopqrstuvwxyz"].slice(0, count);
  const orders = names.map((name) => `${name}10@0-30`).join(" ");
  const told = decideStory(orders, names.map((name, n) => `${name}10@${n + 1}`).join(" "));
  expect(told).toContain(expected);
});
