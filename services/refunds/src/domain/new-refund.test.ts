import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { toAddress, toAmount, toChainId, toDecimal, toTxHash } from "@pay/values";
import fc from "fast-check";
import { newBalance, REFUNDS_MAX } from "./balance.ts";
import { buildDeclaredRefund, buildRequestedRefund, type NewRefund } from "./new-refund.ts";
import { cancel, complete, fail, type Refund, reorg } from "./refund.ts";
import {
  aPayment,
  context,
  failure,
  OTHER,
  requireRefund,
  SHOPPER,
  TOKEN,
  terms,
  toRequest,
  tryRefund,
} from "./sample-refund.ts";
import { createSignedWallets } from "./signed-wallets.ts";

test("a refund without an amount refunds the rest and copies its payment", () => {
  const payment = aPayment();
  const balance = { ...newBalance(payment), reserved: 2_500_000n, refunds: 1 };
  const { refund, balance: after } = requireRefund(
    tryRefund(payment, balance, { reason: "broken" }),
  );
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
    payment_confirmed_at: new Date(3),
    version: 1,
  });
  expect(after).toEqual({ ...balance, reserved: 10_000_000n, refunds: 2 });
});

test("an amount is returned as the merchant wrote it", () => {
  const payment = aPayment();
  const { refund } = requireRefund(tryRefund(payment, newBalance(payment), { amount: "1.50" }));
  expect([refund.amount, refund.base_amount]).toEqual(["1.50", 1_500_000n]);
});

test("a payment is refunded where something is proven and nothing can confirm it any more", () => {
  for (const status of ["created", "pending", "processing", "failed", "expired"]) {
    const nothing = aPayment({ status, finalBaseAmount: undefined, senders: [] });
    expect(tryRefund(nothing, newBalance(nothing), {})).toMatchObject(
      failure("payment_not_refundable", "Only confirmed payments can be refunded"),
    );
  }
  for (const status of ["created", "pending", "processing"]) {
    const open = aPayment({ status, finalBaseAmount: "4000000" });
    expect(tryRefund(open, newBalance(open), {})).toMatchObject(
      failure(
        "payment_not_refundable",
        `Payment is ${status}; it can be refunded once it is confirmed, failed or expired`,
      ),
    );
  }
  for (const status of ["failed", "expired"]) {
    for (const finalBaseAmount of ["4000000", "14000000"]) {
      const senders = [{ address: SHOPPER, baseAmount: finalBaseAmount }];
      const ended = aPayment({ status, finalBaseAmount, senders });
      const whole = requireRefund(tryRefund(ended, newBalance(ended), {}));
      expect(whole.refund.base_amount).toBe(BigInt(finalBaseAmount));
      expect(tryRefund(ended, whole.balance, {})).toMatchObject({
        errorCode: "payment_fully_refunded",
      });
    }
  }
});

test("a refunded payment without a rest is fully refunded, declared or not", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  const declaredPayment = { ...payment, refundDeclared: true, refundedAt: new Date(7) };
  for (const result of [
    tryRefund(payment, balance, {}),
    tryRefund(declaredPayment, { ...balance, declared_at: new Date(7) }, { amount: "1" }),
    tryRefund(declaredPayment, { ...balance, reserved: 0n }, {}),
    tryRefund(declaredPayment, { ...balance, reserved: 0n, declared_at: new Date(6) }, {}),
  ]) {
    expect(result).toMatchObject(failure("payment_fully_refunded", "Payment is fully refunded"));
  }
});

test("the amount of a failed declared refund can be refunded by hand", () => {
  const declared = { status: "refunded", refundDeclared: true, refundedAt: new Date(7) };
  const payment = aPayment(declared);
  const balance = { ...newBalance(payment), declared_at: new Date(7), reserved: 4_000_000n };
  expect(requireRefund(tryRefund(payment, balance, {})).refund.amount).toBe("6");
});

test("a refund is at most the rest", () => {
  const payment = aPayment();
  const balance = { ...newBalance(payment), reserved: 6_000_000n };
  expect(tryRefund(payment, balance, { amount: "4.000001" })).toMatchObject(
    failure("refund_amount_too_large", "Refund amount exceeds the refundable amount"),
  );
  expect(requireRefund(tryRefund(payment, balance, { amount: "4" })).balance.reserved).toBe(
    10_000_000n,
  );
});

test("a payment without a rest is fully refunded, whatever amount is requested", () => {
  const payment = aPayment();
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  for (const amount of [null, "1", "100"]) {
    expect(tryRefund(payment, balance, { amount })).toMatchObject(
      failure("payment_fully_refunded", "Payment is fully refunded"),
    );
  }
});

test("what came beyond the amount is refunded by an explicit amount, also of a refunded payment", () => {
  const senders = [{ address: SHOPPER, baseAmount: "12000000" }];
  const payment = aPayment({ finalBaseAmount: "12000000", senders });
  const whole = requireRefund(tryRefund(payment, newBalance(payment), {}));
  expect(whole.refund.amount).toBe("10");
  for (const status of ["confirmed", "refunded"]) {
    const again = { ...payment, status };
    expect(tryRefund(again, whole.balance, {})).toMatchObject(
      failure(
        "refund_amount_required",
        "The payment's amount is refunded; surplus: true refunds the 2 beyond it",
      ),
    );
    expect(tryRefund(again, whole.balance, { amount: "2.1" })).toMatchObject(
      failure("refund_amount_too_large", "Refund amount exceeds the refundable amount"),
    );
    const excess = requireRefund(tryRefund(again, whole.balance, { amount: "2" }));
    expect(tryRefund(again, excess.balance, {})).toMatchObject(
      failure("payment_fully_refunded", "Payment is fully refunded"),
    );
  }
});

test("an accepted part is refunded up to what came", () => {
  const payment = aPayment({ finalBaseAmount: "9990000" });
  expect(
    requireRefund(tryRefund(payment, newBalance(payment), { destination_address: OTHER })).refund
      .amount,
  ).toBe("9.99");
});

test("an amount is never rounded", () => {
  const payment = aPayment();
  const message = "amount must be a positive decimal string with at most 6 fraction digits";
  for (const amount of ["0.0000001", "-1", "1e3", " 1", "01", "", "0x1", "1."]) {
    expect(tryRefund(payment, newBalance(payment), { amount })).toMatchObject(
      failure("field_invalid", message),
    );
  }
  expect(tryRefund(payment, newBalance(payment), { amount: "0.0" })).toMatchObject(
    failure("field_invalid", "amount must be greater than zero"),
  );
});

test("a payment has a bounded number of refunds", () => {
  const payment = aPayment();
  expect(
    tryRefund(payment, { ...newBalance(payment), refunds: REFUNDS_MAX }, { amount: "1" }),
  ).toMatchObject(failure("refund_count_exhausted", "Payment already has 50 refunds"));
});

test("a token that charges a fee on transfers is not refunded", () => {
  const payment = aPayment();
  const check = { chargesFee: true, senderIsContract: {} };
  for (const destination_address of [null, OTHER]) {
    const request = toRequest({ destination_address });
    expect(
      buildRequestedRefund(payment, newBalance(payment), request, { ...context, check }),
    ).toMatchObject(
      failure(
        "refund_currency_unsupported",
        "The token charges a fee on each transfer, so no refund arrives in full",
      ),
    );
  }
});

test("a declaration makes one refund, of the rest", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 4_000_000n };
  const declaration = {
    id: "refund_1",
    at: new Date(9),
    ...terms,
    request: toRequest(),
  };
  const first = buildDeclaredRefund(payment, balance, declaration);
  expect(first).toEqual(buildDeclaredRefund(payment, balance, declaration));
  expect(first).toMatchObject({
    refund: { amount: "6", created_at: new Date(9), destination_address: SHOPPER },
    balance: { reserved: 10_000_000n },
  });
  expect((first as NewRefund).refund.id).toBe("refund_1");
});

test("a declaration without a rest makes no refund", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  const declaration = {
    id: "refund_1",
    at: new Date(9),
    ...terms,
    request: toRequest(),
  };
  expect(buildDeclaredRefund(payment, balance, declaration)).toBeUndefined();
  const overpaid = { ...balance, received: 12_000_000n };
  expect(buildDeclaredRefund(payment, overpaid, declaration)).toBeUndefined();
});

test("a declaration without a default destination makes a refund that needs one", () => {
  const payment = aPayment({ status: "refunded" });
  const sharedAddresses = new Set([SHOPPER.toLowerCase()]);
  const named = { id: "refund_1", at: new Date(9), request: toRequest() };
  for (const change of [{ sharedAddresses }, { check: undefined }]) {
    const made = buildDeclaredRefund(payment, newBalance(payment), {
      ...terms,
      ...named,
      ...change,
    });
    expect(made).toMatchObject({
      refund: { amount: "10", declared: true, destination_address: "", needs: "destination" },
      balance: { reserved: 10_000_000n },
    });
  }
});

function settle({ refund, balance }: NewRefund, end: string): NewRefund | undefined {
  const txHash = toTxHash("0x");
  const proof = { txHash, blockNumber: 1n, now: new Date(0) };
  if (end === "fails") return fail(refund, balance, "reverted");
  if (end === "is cancelled") {
    const cancelled = cancel(refund, balance);
    return cancelled instanceof Failure || cancelled.kind !== "moved" ? undefined : cancelled.moved;
  }
  if (end === "stays") return { refund, balance };
  const done = complete(refund, balance, proof);
  if (end === "completes" || done === undefined) return done;
  return reorg(done.refund, done.balance, { txHash, submittedTxHash: txHash });
}

test("in any sequence of refunds and verdicts the received amount less refunds is what is left", () => {
  const step = fc.record({
    amount: fc.option(
      fc.bigInt(0n, 20_000_000n).map((units) => toDecimal(toAmount(units), 6)),
      { nil: null },
    ),
    surplus: fc.boolean(),
    end: fc.constantFrom("stays", "completes", "fails", "reorgs", "is cancelled"),
  });
  function run(
    received: bigint,
    steps: { amount: string | null; surplus: boolean; end: string }[],
  ) {
    const payment = aPayment({
      finalBaseAmount: String(received),
      senders: [{ address: SHOPPER, baseAmount: "30000000" }],
    });
    let balance = newBalance(payment);
    const refunds: Refund[] = [];
    for (const { amount, surplus, end } of steps) {
      const opened = tryRefund(payment, balance, { amount, surplus });
      if (opened instanceof Failure) continue;
      expect(opened.refund.base_amount <= received - balance.reserved).toBe(true);
      const settled = settle(opened, end);
      if (settled === undefined) throw new Error("a new refund can be settled");
      balance = settled.balance;
      refunds.push(settled.refund);
    }
    function sum(...statuses: string[]) {
      return refunds
        .filter(({ status }) => statuses.includes(status))
        .reduce((total, { base_amount }) => total + base_amount, 0n);
    }

    expect(balance.reserved).toBe(sum("created", "completed"));
    expect(balance.completed).toBe(sum("completed"));
    expect(balance.reserved <= received).toBe(true);
    const rest = tryRefund({ ...payment, status: "failed" }, { ...balance, refunds: 0 }, {});
    const left = received - balance.reserved;
    expect(rest instanceof Failure ? 0n : rest.refund.base_amount).toBe(left);
  }

  fc.assert(fc.property(fc.bigInt(1n, 30_000_000n), fc.array(step), run));
});

/** How a payment of 10 that received 14 is divided. */
const STORY = {
  finalBaseAmount: "14000000",
  senders: [{ address: SHOPPER, baseAmount: "14000000" }],
};

test("14 for 10: 4 back as surplus and 6 of the payment leave 4", () => {
  const payment = aPayment(STORY);
  const surplus = requireRefund(tryRefund(payment, newBalance(payment), { surplus: true }));
  expect(surplus.refund).toMatchObject({
    amount: "4",
    surplus: true,
    reserved_base_amount: 4_000_000n,
  });
  expect(tryRefund(payment, surplus.balance, { surplus: true })).toMatchObject(
    failure("payment_fully_refunded", "The payment has no surplus left to refund"),
  );
  const part = requireRefund(tryRefund(payment, surplus.balance, { amount: "6" }));
  expect(part.balance).toMatchObject({ reserved: 10_000_000n, surplus_reserved: 4_000_000n });
  expect(requireRefund(tryRefund(payment, part.balance, {})).refund.amount).toBe("4");
});

test("a surplus is only of a paid payment and at most what came beyond its amount", () => {
  const payment = aPayment(STORY);
  expect(tryRefund(payment, newBalance(payment), { surplus: true, amount: "4.1" })).toMatchObject({
    errorCode: "refund_amount_too_large",
  });
  const late = aPayment({ ...STORY, status: "expired" });
  expect(tryRefund(late, newBalance(late), { surplus: true })).toMatchObject(
    failure("payment_not_refundable", "Only a confirmed payment has a surplus"),
  );
  const exact = aPayment();
  expect(tryRefund(exact, newBalance(exact), { surplus: true })).toMatchObject(
    failure("payment_fully_refunded", "The payment has no surplus left to refund"),
  );
});

test("the service signs a refund only of its wallet's project, mode and chain", () => {
  const payment = aPayment();
  const { projectId, mode } = payment;
  const chainId = toChainId(payment.chainId);
  const wallet = { projectId, mode, chainId, address: toAddress(payment.recipientAddress) };
  function isSigned(change: Partial<typeof wallet>) {
    const isServiceSigned = createSignedWallets([{ ...wallet, ...change }]);
    const opened = buildRequestedRefund(payment, newBalance(payment), toRequest(), {
      ...context,
      isServiceSigned,
    });
    return requireRefund(opened).refund.service_signed;
  }

  expect(isSigned({})).toBe(true);
  expect(isSigned({ projectId: "proj_BBBBBBBBBBBBBBBBBBBBBBBB" })).toBe(false);
  expect(isSigned({ mode: mode + 1 })).toBe(false);
  expect(isSigned({ chainId: toChainId(chainId + 1) })).toBe(false);
  expect(isSigned({ address: toAddress(`0x${"9".repeat(40)}`) })).toBe(false);
});
