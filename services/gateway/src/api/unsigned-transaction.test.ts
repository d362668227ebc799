import { create } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { RefundSchema } from "@pay/proto";
import { renderRefund } from "./refunds/response.ts";
import { unsignedTransaction } from "./unsigned-transaction.ts";

const refund = {
  chainId: 31337n,
  currency: "native",
  baseAmount: "1500000000000000000",
  sourceAddress: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  destinationAddress: "0x52908400098527886E0F7030069857D2E4169EE7",
  serviceSigned: false,
};

test("the native coin moves by a plain transfer", () => {
  expect(unsignedTransaction(refund)).toEqual({
    chainId: 31337,
    from: refund.sourceAddress,
    to: refund.destinationAddress,
    value: "0x14d1120d7b160000",
    data: "0x",
  });
});

test("a token moves by a call of its contract", () => {
  const currency = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
  expect(unsignedTransaction({ ...refund, currency, baseAmount: "25500000" })).toEqual({
    chainId: 31337,
    from: refund.sourceAddress,
    to: currency,
    value: "0x0",
    data: `0xa9059cbb${"0".repeat(24)}52908400098527886e0f7030069857d2e4169ee7${"0".repeat(57)}1851960`,
  });
});

test("what the service sends has no transaction for a wallet to send once more", () => {
  expect(unsignedTransaction({ ...refund, serviceSigned: true })).toBeNull();
});

test("a refund has no transaction while its money has left the chain, or it needs a destination", () => {
  const open = { ...refund, status: "created" };
  const extras = ["transaction", "heldReason", "needs", "destinationAddress"] as const;
  function render(change: Partial<typeof refund> & { heldReason?: string; needs?: string }) {
    return renderRefund(create(RefundSchema, { ...open, ...change }), extras);
  }

  expect(render({}).transaction).not.toBeNull();
  const heldReason = "payment_reorged";
  expect(render({ heldReason })).toMatchObject({ heldReason, transaction: null, needs: null });
  const needs = { destinationAddress: "", needs: "destination" };
  expect(render(needs)).toMatchObject({
    transaction: null,
    needs: "destination",
    destinationAddress: null,
  });
});
