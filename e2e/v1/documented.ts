// The field sets of the specification's endpoint tables, copied by hand: what the product answers is held against
// these, never against its own code. A body has exactly these fields.
import { expect } from "@jest/globals";

const PAYMENT = ["id", "status", "amount", "currency"];

export type Shape = "primary" | "b";

export const PAYMENT_FIELDS: Record<Shape, Record<"created" | "read" | "item", string[]>> = {
  primary: {
    created: [
      ...[...PAYMENT, "clientSecret", "chainId", "recipientAddress", "description"],
      ...["expiresAt", "createdAt"],
    ],
    // And confirmedAt, once there is such a moment.
    read: [...PAYMENT, "txHash", "blockNumber", "chainId", "createdAt"],
    item: [...PAYMENT, "chainId", "createdAt"],
  },
  b: {
    created: [
      ...[...PAYMENT, "clientSecret", "chainId", "recipientAddress", "orderId"],
      ...["expiresAt", "createdAt"],
    ],
    read: [...PAYMENT, "txHash", "blockNumber", "chainId", "orderId", "createdAt"],
    item: [...PAYMENT, "orderId", "createdAt"],
  },
};

const KEY = [
  ...["id", "type", "mode", "scopes", "name", "prefix", "last4"],
  ...["createdAt", "expiresAt", "revokedAt"],
];

export const FIELDS = {
  submitted: [...PAYMENT, "txHash", "blockNumber", "chainId", "expiresAt"],
  refundedPayment: ["id", "status", "refundedAt"],
  list: ["data", "total", "page", "limit"],
  createdCustomer: ["id", "walletAddress", "email", "displayName", "metadata", "createdAt"],
  readCustomer: ["id", "walletAddress", "displayName", "createdAt"],
  updatedCustomer: ["id", "displayName", "metadata"],
  deleted: ["deleted", "id"],
  createdRefund: ["id", "paymentId", "amount", "status", "reason", "createdAt"],
  // And txHash, once the refund is completed.
  readRefund: ["id", "paymentId", "amount", "status", "createdAt"],
  refundItem: ["id", "status", "amount"],
  transfer: [
    ...["txHash", "logIndex", "from", "to", "amount", "blockNumber", "minedAt", "confirmedAt"],
  ],
  step: ["event", "status", "at", "reason", "txHash"],
  project: ["id", "name", "callbackUrl", "allowedOrigins", "brandingConfig"],
  savedProject: ["id", "name", "callbackUrl"],
  chain: ["chainId", "name", "symbol", "rpcUrl", "blockExplorerUrl", "isTestnet"],
  token: ["symbol", "name", "address", "decimals", "chainId"],
  session: ["sessionToken", "expiresAt"],
  keyItem: KEY,
  createdKey: [...KEY, "key"],
  error: ["statusCode", "message", "error"],
  paymentEvent: [...PAYMENT, "txHash", "blockNumber", "orderId", "chainId"],
  refundEvent: [
    ...["id", "paymentId", "status", "amount", "currency", "chainId", "txHash", "reason"],
    ...["failureReason", "orderId"],
  ],
  customerEvent: ["id", "walletAddress", "displayName", "metadata", "createdAt", "updatedAt"],
};

export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A field too many fails like one too few. */
export const expectFields = (body: unknown, fields: readonly string[]): void =>
  expect(Object.keys(body as object).sort()).toEqual([...fields].sort());
