import { expect, test } from "@jest/globals";
import { Failure } from "@pay/failures";
import { toAmount, ZERO_ADDRESS } from "@pay/values";
import type { Destination as Entry } from "./address-book.ts";
import { newBalance, type Payment } from "./balance.ts";
import { buildRequestedRefund, type RefundRules } from "./new-refund.ts";
import {
  aPayment,
  context,
  failure,
  OTHER,
  requireRefund,
  SHOPPER,
  TOKEN,
  toRequest,
  tryRefund,
} from "./sample-refund.ts";

test("a refund goes to the requested address, else to the one wallet that sent enough", () => {
  const [mine, others] = [SHOPPER.toLowerCase(), OTHER.toLowerCase()];
  const payment = aPayment({
    payerAddress: others,
    senders: [
      { address: mine, baseAmount: "6000000" },
      { address: others, baseAmount: "4000000" },
    ],
  });
  function destination(amount: string | null, change: Partial<RefundRules> = {}) {
    const request = toRequest({ amount });
    const made = buildRequestedRefund(payment, newBalance(payment), request, {
      ...context,
      ...change,
    });
    return made instanceof Failure ? made.message : made.refund.destination_address;
  }

  const required = "destinationAddress is required for this payment: ";
  const ask = ". Ask your customer for a wallet";
  expect(destination("6")).toBe(SHOPPER);
  expect(destination("4.000001")).toBe(SHOPPER);
  expect(destination("4")).toBe(`${required}several wallets that paid sent as much${ask}`);
  expect(destination(null)).toBe(`${required}no wallet is known to have sent as much${ask}`);
  const returned = new Map([[mine, toAmount(3_000_000n)]]);
  expect(destination("4", { returned })).toBe(OTHER);
  expect(destination("6", { returned })).toBe(
    `${required}no wallet is known to have sent as much${ask}`,
  );
  const requested = tryRefund(payment, newBalance(payment), { destination_address: OTHER });
  expect(requireRefund(requested).refund.destination_address).toBe(OTHER);
});

test("nobody, a shared address, a contract and the zero address are no default destination", () => {
  const mine = SHOPPER.toLowerCase();
  function refund(payment: Payment, change: Partial<RefundRules>, destination: string | null) {
    const request = toRequest({ destination_address: destination });
    return buildRequestedRefund(payment, newBalance(payment), request, { ...context, ...change });
  }

  const minted = { senders: [{ address: ZERO_ADDRESS, baseAmount: "10000000" }] };
  const contract = { chargesFee: false, senderIsContract: { [mine]: true } };
  for (const [payment, change] of [
    [aPayment({ senders: [], payerAddress: mine }), {}],
    [aPayment(minted), {}],
    [aPayment(), { sharedAddresses: new Set([mine]) }],
    [aPayment(), { check: contract }],
  ] as const) {
    expect(refund(payment, change, null)).toMatchObject({
      errorCode: "refund_destination_required",
    });
    requireRefund(refund(payment, change, OTHER));
  }
  const unchecked = { check: { chargesFee: false, senderIsContract: {} } };
  expect(refund(aPayment(), unchecked, null)).toMatchObject({ errorCode: "service_unavailable" });
  requireRefund(refund(aPayment(), unchecked, SHOPPER));
});

test("another address than the payer's needs the address book or the right to name any", () => {
  const mine = SHOPPER.toLowerCase();
  const now = new Date(5);
  const entry: Entry = {
    id: "dst_1",
    project_id: "proj_1",
    mode: 1,
    chain_id: 1n,
    address: OTHER,
    label: null,
    created_by: "key_a",
    created_at: new Date(0),
    usable_at: now,
  };
  const pending = { ...entry, usable_at: new Date(6) };
  const [unknown, forbidden] = [undefined, "refund_destination_forbidden"];
  const unchecked = { chargesFee: false, senderIsContract: {} };
  const contract = { chargesFee: false, senderIsContract: { [mine]: true } };
  const restricted = { anyDestination: false, entry: unknown, now };
  for (const [to, rules, expected] of [
    [null, restricted, "payer"],
    [mine, restricted, "payer"],
    [SHOPPER, { ...restricted, anyDestination: true }, "payer"],
    [OTHER, restricted, forbidden],
    [OTHER, { ...restricted, entry: pending }, forbidden],
    [OTHER, { ...restricted, entry }, "address_book"],
    [OTHER, { ...restricted, entry, anyDestination: true }, "address_book"],
    [OTHER, { ...restricted, entry: pending, anyDestination: true }, "named"],
    [SHOPPER, { ...restricted, check: contract }, forbidden],
    [SHOPPER, { ...restricted, check: contract, anyDestination: true }, "named"],
    [SHOPPER, { ...restricted, check: unchecked }, "service_unavailable"],
    [OTHER, { ...restricted, check: unchecked, entry }, "address_book"],
  ] as const) {
    const request = toRequest({ destination_address: to });
    const facts = { ...context, ...rules };
    const made = buildRequestedRefund(aPayment(), newBalance(aPayment()), request, facts);
    const result = made instanceof Failure ? made.errorCode : made.refund.destination_source;
    expect({ to, rules, result }).toEqual({ to, rules, result: expected });
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
