// How a row of the isolation between services looks, and those of chains.
import { PAYER } from "./product.ts";
import type { Side } from "./tenants.ts";

export const TX_HASH = `0x${"d".repeat(64)}`;
export const FIRST_PAGE = { page: 1, limit: 20, after: "" };

export interface Row {
  /** The request but for its tenant, on things of this side. */
  request(side: Side): object;
  /** What a stranger gets: refused as unknown or by its own address book, an empty list, something of its own, or nothing in this form. */
  stranger: "not_found" | "invalid_argument" | "empty" | "own" | object;
}

export const CHAINS_ROWS: Record<string, Row> = {
  "chains.v1.ChainsService/BatchGetTransfers": {
    request: ({ ids }) => ({ subjectIds: [ids.pay] }),
    stranger: { transfers: [] },
  },
  "chains.v1.ChainsService/ListTransfers": { request: () => ({ page: FIRST_PAGE }), stranger: {} },
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
};
