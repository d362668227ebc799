import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import { ChainSchema, PaymentSchema, RefundSchema } from "@pay/proto";
import { toReference, toReferenceSuffix } from "@pay/values";
import { paymentStatus, renderStatus } from "./status-response.ts";

const NOON = new Date("2026-11-22T12:00:00.000Z");
const SHOP = "0x52908400098527886E0F7030069857D2E4169EE7";
const HASH = `0x${"a".repeat(64)}`;
const ETHEREUM = {
  chainId: 1n,
  name: "Ethereum",
  symbol: "ETH",
  blockExplorerUrl: "https://etherscan.io/",
  blockTimeMs: 12_000,
  headNumber: 103n,
  confirmationsNeeded: 12,
};
const shop = {
  displayName: "Mug shop",
  primaryColor: null,
  theme: null,
  supportUrl: null,
  logoUrl: null,
};

function show(
  payment: object,
  {
    chain = ETHEREUM as object,
    now = NOON,
    refunds = [] as object[],
    publicUrl = "https://pay.example",
    withReference = false,
  } = {},
) {
  const seen = {
    payment: create(PaymentSchema, {
      id: "pay_4mYb1fJtQv8sN2xKcW7hRz9L",
      status: "created",
      amount: "1.5",
      baseAmount: "1500000",
      decimals: 6,
      currency: "native",
      chainId: 1n,
      recipientAddress: SHOP,
      createdAt: timestampFromDate(NOON),
      expiresAt: timestampFromDate(new Date(NOON.getTime() + 60_000)),
      ...payment,
    }),
    chain: create(ChainSchema, chain),
    shop,
    publicUrl,
    authorization: undefined,
    withReference,
    x402Url: null,
    refunds: refunds.map((refund) => create(RefundSchema, refund)),
    now,
  };
  return paymentStatus.parse(renderStatus(seen));
}

describe("what has arrived and what is missing", () => {
  test("a part leaves the rest to pay, whether it was found or submitted", () => {
    for (const status of ["created", "pending", "failed"]) {
      expect(show({ status, receivedBaseAmount: "900000" })).toMatchObject({
        receivedAmount: "0.9",
        missingAmount: "0.6",
        paymentUri: `ethereum:${SHOP}@1?value=600000`,
        dueBaseAmount: "600000",
        transaction: { value: "0x927c0", data: "0x" },
      });
    }
  });

  test("the name of the payment stands behind the arguments of the call", () => {
    const currency = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
    const suffix = toReferenceSuffix(toReference("pay_4mYb1fJtQv8sN2xKcW7hRz9L"));
    const word = (hex: string) => hex.toLowerCase().padStart(64, "0");
    const data = `0xa9059cbb${word(SHOP.slice(2))}${word((1_500_000).toString(16))}`;
    expect(show({ currency }).transaction).toMatchObject({ data });
    expect(show({ currency }, { withReference: true }).transaction).toEqual({
      to: currency,
      value: "0x0",
      data: data + suffix,
    });
  });

  test("a payment with a deposit address is paid there, in its code and its transaction", () => {
    const payTo = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
    const own = { payTo: payTo.toLowerCase() };
    expect(show(own)).toMatchObject({
      recipientAddress: SHOP,
      payTo,
      paymentUri: `ethereum:${payTo}@1?value=1500000`,
      transaction: { to: payTo, value: "0x16e360" },
    });
    const currency = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
    expect(show({ ...own, currency })).toMatchObject({
      paymentUri: `ethereum:${currency}@1/transfer?address=${payTo}&uint256=1500000`,
      transaction: { to: currency, data: expect.stringContaining(own.payTo.slice(2)) },
    });
  });

  test("nothing can be paid once the time is over, but what arrived is still told", () => {
    const part = { receivedBaseAmount: "900000", failureCode: "underpaid" };
    const over = {
      receivedAmount: "0.9",
      missingAmount: "0.6",
      paymentUri: null,
      dueBaseAmount: null,
      transaction: null,
    };
    expect(show({ ...part, status: "expired" })).toMatchObject(over);
    const now = new Date(NOON.getTime() + 60_000);
    expect(show({ ...part, status: "failed" }, { now })).toMatchObject(over);
  });

  test("nothing is missing where enough arrived, was accepted, or was returned", () => {
    const none = { missingAmount: null, paymentUri: null, transaction: null };
    expect(show({ status: "processing", receivedBaseAmount: "1500000" })).toMatchObject(none);
    expect(show({ status: "confirmed", receivedBaseAmount: "900000" })).toMatchObject(none);
    expect(show({ status: "refunded", receivedBaseAmount: "900000" })).toMatchObject(none);
  });

  test("a part that was returned or accepted asks for no rest", () => {
    const part = { receivedBaseAmount: "900000" };
    expect(show({ ...part, refundedBaseAmount: "900000" }).transaction).toBeNull();
    expect(show({ ...part, lateDecision: "accepted" }).transaction).toBeNull();
  });

  test("a transfer that may be meant for it leaves the whole amount to pay", () => {
    const arrived = [{ baseAmount: "1500000", at: timestampFromDate(NOON) }];
    expect(show({ needs: "payer_signature", arrived })).toMatchObject({
      receivedAmount: null,
      arrived: [{ amount: "1.5", at: NOON.toISOString() }],
      paymentUri: `ethereum:${SHOP}@1?value=1500000`,
    });
  });
});

describe("the progress to finality", () => {
  const mined = { status: "processing", blockNumber: 100n };
  test("counts blocks and estimates the rest by the chain's block time", () => {
    expect(show(mined)).toMatchObject({
      confirmations: 4,
      confirmationsNeeded: 12,
      estimatedSeconds: 96,
    });
  });

  test("begins before a block, and never counts less than the block itself", () => {
    expect(show({ status: "processing" })).toMatchObject({
      confirmations: null,
      estimatedSeconds: 144,
    });
    expect(show({ ...mined, blockNumber: 110n })).toMatchObject({ confirmations: 1 });
  });

  test("has an end", () => {
    const late = { ...ETHEREUM, headNumber: 500n };
    expect(show(mined, { chain: late })).toMatchObject({ confirmations: 12, estimatedSeconds: 0 });
    expect(show({ ...mined, status: "confirmed" })).toMatchObject({
      confirmations: null,
      confirmationsNeeded: 12,
      estimatedSeconds: null,
    });
  });

  test("names no number where a tag of the chain decides, but the distance of the tag", () => {
    const { confirmationsNeeded, ...tagged } = ETHEREUM;
    const chain = { ...tagged, finalNumber: 39n };
    expect(show(mined, { chain })).toMatchObject({
      confirmations: 4,
      confirmationsNeeded: null,
      estimatedSeconds: 61 * 12,
    });
    const high = { ...ETHEREUM, highValueUnits: "1" };
    expect(show(mined, { chain: high })).toMatchObject({
      confirmations: 4,
      confirmationsNeeded: null,
      estimatedSeconds: null,
    });
  });

  test("gives no estimate while a person has to act", () => {
    expect(show({ ...mined, needs: "payer_signature" }).estimatedSeconds).toBeNull();
  });
});

describe("the text for the wallet to sign", () => {
  const TEXT = `pay.example asks you to confirm that this wallet pays for your order.

Sign only on the page where you placed the order. Signing moves no money.

Amount: 1.5 ETH
Network: Ethereum (chain ID 1)
Recipient: ${SHOP}
Payment ID: pay_4mYb1fJtQv8sN2xKcW7hRz9L
Created At: 2026-11-22T12:00:00.000Z`;

  test("names host, amount, network, recipient and payment, and stays the same until it is confirmed", () => {
    const changed = { receivedBaseAmount: "900000", needs: "payer_signature", extensions: 1 };
    for (const status of ["created", "pending", "processing", "failed", "expired"]) {
      expect(show({ status, ...changed }).payerMessage).toBe(TEXT);
    }
    expect(show({ status: "confirmed" }).payerMessage).toBeNull();
    expect(show({ status: "refunded" }).payerMessage).toBeNull();
  });

  test("names the token by its symbol in the catalog", () => {
    const tokens = [{ address: SHOP.toLowerCase(), symbol: "USDC", decimals: 6 }];
    const { payerMessage } = show({ currency: SHOP }, { chain: { ...ETHEREUM, tokens } });
    expect(payerMessage).toContain("\nAmount: 1.5 USDC\n");
  });

  test("is missing where the host or the currency is not known", () => {
    expect(show({}, { publicUrl: "/" }).payerMessage).toBeNull();
    expect(show({ currency: SHOP }).payerMessage).toBeNull();
  });
});

test("a refund has its own amount, transaction and time", () => {
  const created = timestampFromDate(NOON);
  const completed = timestampFromDate(new Date(NOON.getTime() + 1_000));
  const refunds = [
    { amount: "0.2", status: "created", txHash: HASH, createdAt: created },
    {
      amount: "0.1",
      status: "completed",
      txHash: HASH,
      createdAt: created,
      completedAt: completed,
    },
  ];
  expect(show({ status: "confirmed" }, { refunds }).refunds).toEqual([
    { amount: "0.2", txHash: null, explorerTxUrl: null, at: NOON.toISOString(), status: "created" },
    {
      amount: "0.1",
      txHash: HASH,
      explorerTxUrl: `https://etherscan.io/tx/${HASH}`,
      at: "2026-11-22T12:00:01.000Z",
      status: "completed",
    },
  ]);
});
