import { expect, test } from "@jest/globals";
import { toDecimal } from "@pay/money";
import fc from "fast-check";
import { type Balance, isRefusal, newBalance, type Payment, REFUNDS_MAX } from "./balance.ts";
import { declaredRefund, type Opened, wishedRefund } from "./new-refund.ts";
import { complete, fail, type Refund } from "./refund.ts";

const SHOPPER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
const OTHER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB";
const TOKEN = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb";

const aPayment = (change: Partial<Payment> = {}): Payment => ({
  id: "pay_000000000000000000000000",
  projectId: "proj_000000000000000000000000",
  mode: 1,
  status: "confirmed",
  baseAmount: "10000000",
  decimals: 6,
  currency: TOKEN,
  chainId: 1n,
  orderId: "order-1",
  recipientAddress: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  senderAddress: SHOPPER.toLowerCase(),
  ...change,
});

const context = { sharedAddresses: new Set<string>(), now: new Date(0) };
const wish = (payment: Payment, balance: Balance, wished: Parameters<typeof wishedRefund>[2]) =>
  wishedRefund(payment, balance, wished, context);

const openedOf = (result: ReturnType<typeof wish>): Opened => {
  if (isRefusal(result)) throw new Error(result.message);
  return result;
};
const conflict = (message: string) => ({ kind: "failed_precondition", message });
const invalid = (message: string) => ({ kind: "invalid_argument", message });

test("a refund without an amount gives back all that remains, and copies its payment", () => {
  const payment = aPayment();
  const balance = { ...newBalance(payment), reserved: 2_500_000n, refunds: 1 };
  const { refund, balance: after } = openedOf(wish(payment, balance, { reason: "broken" }));
  expect(refund).toMatchObject({
    status: "created",
    amount: "7.5",
    base_amount: 7_500_000n,
    decimals: 6,
    currency: TOKEN,
    chain_id: 1n,
    order_id: "order-1",
    payment_base_amount: 10_000_000n,
    source_address: payment.recipientAddress,
    destination_address: SHOPPER,
    reason: "broken",
    version: 1,
  });
  expect(after).toEqual({ ...balance, reserved: 10_000_000n, refunds: 2 });
});

test("an amount is echoed as the merchant wrote it", () => {
  const payment = aPayment();
  const { refund } = openedOf(wish(payment, newBalance(payment), { amount: "1.50" }));
  expect([refund.amount, refund.base_amount]).toEqual(["1.50", 1_500_000n]);
});

test("only confirmed payments can be refunded", () => {
  for (const status of ["created", "pending", "processing", "failed", "expired", "refunded"]) {
    const payment = aPayment({ status });
    expect(wish(payment, newBalance(payment), {})).toEqual(
      conflict("Only confirmed payments can be refunded"),
    );
  }
});

test("a declared payment takes a refund by hand only for what its own failed to give back", () => {
  const payment = aPayment();
  expect(
    wish(payment, { ...newBalance(payment), declared: true, reserved: 10_000_000n }, {}),
  ).toEqual(conflict("Only confirmed payments can be refunded"));
});

test("no more than what is left can be asked for", () => {
  const payment = aPayment();
  const balance = { ...newBalance(payment), reserved: 6_000_000n };
  expect(wish(payment, balance, { amount: "4.000001" })).toEqual(
    invalid("Refund amount exceeds the refundable amount"),
  );
  expect(openedOf(wish(payment, balance, { amount: "4" })).balance.reserved).toBe(10_000_000n);
});

test("a payment with nothing left is fully refunded, whatever is asked for", () => {
  const payment = aPayment();
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  for (const amount of [undefined, "1", "100"]) {
    expect(wish(payment, balance, { amount })).toEqual(conflict("Payment is fully refunded"));
  }
});

test("what was paid too much can be given back too", () => {
  const payment = aPayment({ receivedBaseAmount: "12000000" });
  const whole = openedOf(wish(payment, newBalance(payment), {}));
  expect(whole.refund.amount).toBe("10");
  const excess = openedOf(wish(payment, whole.balance, {}));
  expect(excess.refund.amount).toBe("2");
  expect(wish(payment, excess.balance, {})).toEqual(conflict("Payment is fully refunded"));
});

test("what was paid too little does not narrow what may be given back", () => {
  expect(newBalance(aPayment({ receivedBaseAmount: "9990000" })).cap).toBe(10_000_000n);
});

test("an amount is never rounded", () => {
  const payment = aPayment();
  const message = "amount must be a positive decimal string with at most 6 fraction digits";
  for (const amount of ["0.0000001", "-1", "1e3", " 1", "01", "", "0x1", "1."]) {
    expect(wish(payment, newBalance(payment), { amount })).toEqual(invalid(message));
  }
  expect(wish(payment, newBalance(payment), { amount: "0.0" })).toEqual(
    invalid("amount must be greater than zero"),
  );
});

test("a payment has a bounded number of refunds", () => {
  const payment = aPayment();
  expect(wish(payment, { ...newBalance(payment), refunds: REFUNDS_MAX }, { amount: "1" })).toEqual(
    conflict("Payment already has 50 refunds"),
  );
});

test("money goes to the declared payer before the sender, and where the merchant says before both", () => {
  const payment = aPayment({ payerAddress: OTHER.toLowerCase() });
  const destination = (destinationAddress?: string) =>
    openedOf(wish(payment, newBalance(payment), { destinationAddress })).refund.destination_address;
  expect(destination()).toBe(OTHER);
  expect(destination(SHOPPER.toLowerCase())).toBe(SHOPPER);
});

test("without a known shopper the merchant must say where the money goes", () => {
  const required = invalid("destinationAddress is required for this payment");
  const unknown = aPayment({ senderAddress: undefined });
  expect(wish(unknown, newBalance(unknown), {})).toEqual(required);
  const sharedAddresses = new Set([SHOPPER.toLowerCase()]);
  const exchange = aPayment();
  const asked = { destinationAddress: OTHER };
  const shared = { ...context, sharedAddresses };
  expect(wishedRefund(exchange, newBalance(exchange), {}, shared)).toEqual(required);
  expect(isRefusal(wishedRefund(exchange, newBalance(exchange), asked, shared))).toBe(false);
});

test("money is not sent where it would be lost", () => {
  const payment = aPayment();
  const asked = (destinationAddress: string) =>
    wish(payment, newBalance(payment), { destinationAddress });
  const notValid = invalid("destinationAddress must be a valid address");
  expect(asked("0x0000000000000000000000000000000000000000")).toEqual(notValid);
  expect(asked(SHOPPER.replace("f", "F"))).toEqual(notValid);
  expect(asked("")).toEqual(notValid);
  expect(asked(TOKEN.toLowerCase())).toEqual(
    invalid("destinationAddress must not be the token contract"),
  );
});

test("one declaration makes one refund, of what remains", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 4_000_000n };
  const declaration = { eventId: "evt_1", at: new Date(9) };
  const first = declaredRefund(payment, balance, declaration);
  expect(first).toEqual(declaredRefund(payment, balance, declaration));
  expect(first).toMatchObject({
    refund: { amount: "6", created_at: new Date(9), destination_address: SHOPPER },
    balance: { reserved: 10_000_000n },
  });
  expect((first as Opened).refund.id).toMatch(/^refund_[0-9A-Za-z]{24}$/);
  const other = declaredRefund(payment, balance, { ...declaration, eventId: "evt_2" });
  expect((other as Opened).refund.id).not.toBe((first as Opened).refund.id);
});

test("a declaration with nothing left opens nothing", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  const declaration = { eventId: "evt_1", at: new Date(9) };
  expect(declaredRefund(payment, balance, declaration)).toBeUndefined();
});

test("whatever is asked for and whatever becomes of it, no more is given back than was received", () => {
  const step = fc.record({
    amount: fc.option(
      fc.bigInt(0n, 20_000_000n).map((units) => toDecimal(units, 6)),
      { nil: undefined },
    ),
    end: fc.constantFrom("stays", "completes", "fails"),
  });
  const run = (received: bigint, steps: { amount?: string | undefined; end: string }[]) => {
    const payment = aPayment({ receivedBaseAmount: String(received) });
    let balance = newBalance(payment);
    const refunds: Refund[] = [];
    for (const { amount, end } of steps) {
      const opened = wish(payment, balance, { amount });
      if (isRefusal(opened)) continue;
      const proof = { txHash: "0x", blockNumber: 1n, now: new Date(0) };
      const settled =
        end === "completes"
          ? complete(opened.refund, opened.balance, proof)
          : end === "fails"
            ? fail(opened.refund, opened.balance, "reverted")
            : opened;
      if (settled === undefined) throw new Error("a new refund can be settled");
      balance = settled.balance;
      refunds.push(settled.refund);
    }
    const sum = (...statuses: string[]) =>
      refunds
        .filter(({ status }) => statuses.includes(status))
        .reduce((total, { base_amount }) => total + base_amount, 0n);
    expect(balance.reserved).toBe(sum("created", "completed"));
    expect(balance.completed).toBe(sum("completed"));
    expect(balance.reserved <= balance.cap).toBe(true);
  };
  fc.assert(fc.property(fc.bigInt(1n, 30_000_000n), fc.array(step), run));
});
