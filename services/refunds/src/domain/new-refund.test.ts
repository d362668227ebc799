import { expect, test } from "@jest/globals";
import { Failure, type FailureCode } from "@pay/failures";
import { toAddress, toAmount, toChainId, toDecimal, toTxHash } from "@pay/values";
import fc from "fast-check";
import { type Balance, newBalance, type Payment, REFUNDS_MAX } from "./balance.ts";
import type { DestinationRules } from "./destination.ts";
import {
  buildDeclaredRefund,
  buildRequestedRefund,
  type NewRefund,
  type RequestColumns,
} from "./new-refund.ts";
import { complete, fail, type Refund } from "./refund.ts";
import { createSignedWallets } from "./signed-wallets.ts";

const SHOPPER = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
const OTHER = "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB";
const TOKEN = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb";

function aPayment(change: Partial<Payment> = {}): Payment {
  return {
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
    refundDeclared: false,
    confirmedAt: new Date(3),
    ...change,
  };
}

const terms = { sharedAddresses: new Set<string>(), isServiceSigned: () => false };
const context = { ...terms, now: new Date(0) };
function toRequest(requested: Partial<RequestColumns> = {}): RequestColumns {
  const { id: payment_id } = aPayment();
  return {
    payment_id,
    amount: null,
    reason: null,
    destination_address: null,
    surplus: false,
    ...requested,
  };
}

function tryRefund(payment: Payment, balance: Balance, requested: Partial<RequestColumns>) {
  return buildRequestedRefund(payment, balance, toRequest(requested), context);
}

function requireRefund(result: ReturnType<typeof tryRefund>): NewRefund {
  if (result instanceof Failure) throw result;
  return result;
}

function failure(code: FailureCode, message: string) {
  return { errorCode: code, message };
}

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

test("only confirmed payments can be refunded", () => {
  for (const status of ["created", "pending", "processing", "failed", "expired"]) {
    const payment = aPayment({ status });
    expect(tryRefund(payment, newBalance(payment), {})).toMatchObject(
      failure("payment_not_refundable", "Only confirmed payments can be refunded"),
    );
  }
});

test("a refunded payment without a rest is fully refunded, declared or not", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  const declaredPayment = { ...payment, refundDeclared: true };
  for (const result of [
    tryRefund(payment, balance, {}),
    tryRefund(declaredPayment, { ...balance, declared: true }, { amount: "1" }),
    tryRefund(declaredPayment, { ...balance, reserved: 0n }, {}),
  ]) {
    expect(result).toMatchObject(failure("payment_fully_refunded", "Payment is fully refunded"));
  }
});

test("the amount of a failed declared refund can be refunded by hand", () => {
  const payment = aPayment({ status: "refunded", refundDeclared: true });
  const balance = { ...newBalance(payment), declared: true, reserved: 4_000_000n };
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

test("a surplus is refunded by an explicit amount only, also of a refunded payment", () => {
  const payment = aPayment({ receivedBaseAmount: "12000000" });
  const whole = requireRefund(tryRefund(payment, newBalance(payment), {}));
  expect(whole.refund.amount).toBe("10");
  for (const status of ["confirmed", "refunded"]) {
    const again = { ...payment, status };
    expect(tryRefund(again, whole.balance, {})).toMatchObject(
      failure(
        "refund_amount_required",
        "The payment's amount is refunded; amount is required and at most 2 for the surplus",
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

test("an underpayment does not lower the cap", () => {
  expect(newBalance(aPayment({ receivedBaseAmount: "9990000" })).cap).toBe(10_000_000n);
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

test("a refund goes to the requested address, else to the sender, else to the declared payer", () => {
  const declared = { payerAddress: OTHER.toLowerCase() };
  function destination(payment: Payment, requested: string | null = null) {
    const wanted = { destination_address: requested };
    return requireRefund(tryRefund(payment, newBalance(payment), wanted)).refund
      .destination_address;
  }

  expect(destination(aPayment(declared))).toBe(SHOPPER);
  expect(destination(aPayment({ ...declared, senderAddress: undefined }))).toBe(OTHER);
  expect(destination(aPayment(), OTHER.toLowerCase())).toBe(OTHER);
});

test("a payment without a known payer requires a destination", () => {
  const required = failure(
    "refund_destination_required",
    "destinationAddress is required for this payment",
  );
  const unknown = aPayment({ senderAddress: undefined });
  expect(tryRefund(unknown, newBalance(unknown), {})).toMatchObject(required);
  const sharedAddresses = new Set([SHOPPER.toLowerCase()]);
  const exchange = aPayment();
  const request = toRequest({ destination_address: OTHER });
  const shared = { ...context, sharedAddresses };
  expect(buildRequestedRefund(exchange, newBalance(exchange), toRequest(), shared)).toMatchObject(
    required,
  );
  requireRefund(buildRequestedRefund(exchange, newBalance(exchange), request, shared));
});

test("a contract that paid gets a refund by an explicit request only", () => {
  const payment = aPayment();
  function request(check: DestinationRules["check"], destination_address: string | null = null) {
    const request = toRequest({ destination_address });
    return buildRequestedRefund(payment, newBalance(payment), request, { ...context, check });
  }

  const unchecked = { chargesFee: false, senderIsContract: {} };
  const contract = { chargesFee: false, senderIsContract: { [SHOPPER.toLowerCase()]: true } };
  expect(request(contract)).toMatchObject(
    failure("refund_destination_required", "destinationAddress is required for this payment"),
  );
  requireRefund(request(contract, SHOPPER));
  expect(request(unchecked)).toMatchObject({ errorCode: "service_unavailable" });
  requireRefund(request(unchecked, SHOPPER));
  requireRefund(request({ ...contract, senderIsContract: { [SHOPPER.toLowerCase()]: false } }));
  requireRefund(request(undefined));
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

test("a destination where money would be lost is rejected", () => {
  const payment = aPayment();
  function refundTo(destination_address: string) {
    return tryRefund(payment, newBalance(payment), { destination_address });
  }

  const notValid = failure(
    "refund_destination_invalid",
    "destinationAddress must be a valid address",
  );
  expect(refundTo("0x0000000000000000000000000000000000000000")).toMatchObject(notValid);
  expect(refundTo(SHOPPER.replace("f", "F"))).toMatchObject(notValid);
  expect(refundTo("")).toMatchObject(notValid);
  expect(refundTo(TOKEN.toLowerCase())).toMatchObject(
    failure("refund_destination_invalid", "destinationAddress must not be the token contract"),
  );
  expect(refundTo(payment.recipientAddress)).toMatchObject(
    failure(
      "refund_destination_invalid",
      "destinationAddress must not be the wallet that pays the refund",
    ),
  );
});

test("a declaration makes one refund, of the rest", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 4_000_000n };
  const declaration = {
    eventId: "evt_1",
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
  expect((first as NewRefund).refund.id).toMatch(/^refund_[0-9A-Za-z]{24}$/);
  const other = buildDeclaredRefund(payment, balance, { ...declaration, eventId: "evt_2" });
  expect((other as NewRefund).refund.id).not.toBe((first as NewRefund).refund.id);
});

test("a declaration without a rest makes no refund", () => {
  const payment = aPayment({ status: "refunded" });
  const balance = { ...newBalance(payment), reserved: 10_000_000n };
  const declaration = {
    eventId: "evt_1",
    at: new Date(9),
    ...terms,
    request: toRequest(),
  };
  expect(buildDeclaredRefund(payment, balance, declaration)).toBeUndefined();
  const overpaid = { ...balance, cap: 12_000_000n };
  expect(buildDeclaredRefund(payment, overpaid, declaration)).toBeUndefined();
});

test("a declaration makes no refund to a shared address", () => {
  const payment = aPayment({ status: "refunded" });
  const sharedAddresses = new Set([SHOPPER.toLowerCase()]);
  const named = { eventId: "evt_1", at: new Date(9), request: toRequest() };
  const declaration = { ...terms, ...named, sharedAddresses };
  expect(buildDeclaredRefund(payment, newBalance(payment), declaration)).toMatchObject(
    failure("refund_destination_required", "destinationAddress is required for this payment"),
  );
});

test("any sequence of refunds and verdicts refunds at most the received amount", () => {
  const step = fc.record({
    amount: fc.option(
      fc.bigInt(0n, 20_000_000n).map((units) => toDecimal(toAmount(units), 6)),
      { nil: null },
    ),
    end: fc.constantFrom("stays", "completes", "fails"),
  });
  function run(received: bigint, steps: { amount: string | null; end: string }[]) {
    const payment = aPayment({ receivedBaseAmount: String(received) });
    let balance = newBalance(payment);
    const refunds: Refund[] = [];
    for (const { amount, end } of steps) {
      const opened = tryRefund(payment, balance, { amount });
      if (opened instanceof Failure) continue;
      const proof = { txHash: toTxHash("0x"), blockNumber: 1n, now: new Date(0) };
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
    function sum(...statuses: string[]) {
      return refunds
        .filter(({ status }) => statuses.includes(status))
        .reduce((total, { base_amount }) => total + base_amount, 0n);
    }

    expect(balance.reserved).toBe(sum("created", "completed"));
    expect(balance.completed).toBe(sum("completed"));
    expect(balance.reserved <= balance.cap).toBe(true);
  }

  fc.assert(fc.property(fc.bigInt(1n, 30_000_000n), fc.array(step), run));
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
