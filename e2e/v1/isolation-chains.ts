// The rows of chains.
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FIRST_PAGE, type Row } from "./isolation-row.ts";
import { PAYER, RECIPIENT } from "./product.ts";

export const TX_HASH = `0x${"d".repeat(64)}`;

const EVER = { from: timestampFromMs(0), to: timestampFromMs(4e12) };

export const CHAINS_ROWS = {
  "chains.v1.ChainsService/BatchGetTransfers": {
    request: ({ ids }) => ({ subjectIds: [ids.pay] }),
    stranger: { transfers: [] },
  },
  "chains.v1.ChainsService/ListTransfers": { request: () => ({ page: FIRST_PAGE }), stranger: {} },
  "chains.v1.ChainsService/ListUndecidedTransfers": {
    request: () => ({ page: FIRST_PAGE }),
    stranger: {},
  },
  "chains.v1.ChainsService/CancelIntent": {
    request: ({ ids }) => ({ subjectId: ids.refund, requestId: "request" }),
    stranger: {},
  },
  "chains.v1.ChainsService/GetAuthorization": {
    request: ({ ids }) => ({ paymentId: ids.pay }),
    stranger: { counter: 0 },
  },
  "chains.v1.ChainsService/FindAuthorization": {
    request: ({ chainId }) => ({
      chainId: BigInt(chainId),
      token: RECIPIENT,
      payer: PAYER,
      nonce: TX_HASH,
    }),
    stranger: { paymentId: "", validBefore: 0n },
  },
  "chains.v1.ChainsService/SubmitAuthorization": {
    request: ({ ids, chainId }) => ({
      paymentId: ids.pay,
      requestId: "request",
      chainId: BigInt(chainId),
      token: RECIPIENT,
      payer: PAYER,
      recipient: RECIPIENT,
      baseAmount: "1",
      nonce: TX_HASH,
      signature: "0x",
    }),
    stranger: "invalid_argument",
  },
  "chains.v1.ChainsService/ListMovements": {
    request: () => ({ ...EVER, limit: 1_000, after: "" }),
    stranger: {},
  },
  "chains.v1.ChainsService/ListHealth": { request: () => ({}), stranger: {} },
  "chains.v1.ChainsService/BatchGetBalances": {
    request: ({ chainId }) => ({
      holdings: [{ chainId: BigInt(chainId), wallet: RECIPIENT.toLowerCase(), currency: "native" }],
    }),
    stranger: {},
  },
  "chains.v1.ChainsService/RecheckDeposit": {
    request: ({ chainId }) => ({ chainId: BigInt(chainId), address: RECIPIENT.toLowerCase() }),
    stranger: { deposits: [] },
  },
  "chains.v1.ChainsService/ListBooks": {
    request: () => ({ month: new Date().toISOString().slice(0, 7), limit: 100, after: "" }),
    stranger: {},
  },
  "chains.v1.ChainsService/ListOpenBooks": {
    request: () => ({ limit: 100, after: "" }),
    stranger: {},
  },
  "chains.v1.ChainsService/GetBook": {
    request: () => ({ id: `book_${"0".repeat(24)}` }),
    stranger: {},
  },
  "chains.v1.ChainsService/GetBookProgress": {
    request: () => ({ month: "2026-01" }),
    stranger: {},
  },
  "chains.v1.ChainsService/GetTransfer": {
    request: ({ ids }) => ({ id: ids.tr }),
    stranger: "not_found",
  },
  "chains.v1.ChainsService/ExplainPayment": {
    request: ({ ids }) => ({ paymentId: ids.pay }),
    stranger: { transactions: [] },
  },
  "chains.v1.ChainsService/CountUnusedTransfers": {
    request: ({ chainId }) => ({
      chainId: BigInt(chainId),
      txHash: TX_HASH,
      currency: "native",
      recipientAddress: PAYER,
    }),
    stranger: { known: false, unused: 0 },
  },
} satisfies Record<string, Row>;
