// What answers show of a payment: every field once with its schema and where it comes from, and the exact field
// set of every answer in both shapes of the interface. A documented field without a value is null.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Payment, Variant } from "@pay/proto";
import { z } from "zod";
import { isoTime, pick, shapeOf } from "./shape.ts";

export const PAYMENT_STATUSES = [
  "created",
  "pending",
  "processing",
  "confirmed",
  "failed",
  "expired",
  "refunded",
] as const;

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable();
const time = z.iso.datetime({ precision: 3 });

const FIELDS = {
  id: { schema: z.string(), of: (p: Payment) => p.id },
  clientSecret: { schema: z.string(), of: (p: Payment) => p.clientSecret },
  status: { schema: z.enum(PAYMENT_STATUSES), of: (p: Payment) => p.status },
  amount: { schema: z.string(), of: (p: Payment) => p.amount },
  currency: { schema: z.string(), of: (p: Payment) => p.currency },
  chainId: { schema: z.int(), of: (p: Payment) => Number(p.chainId) },
  recipientAddress: { schema: z.string(), of: (p: Payment) => p.recipientAddress },
  description: { schema: nullable(z.string()), of: (p: Payment) => p.description ?? null },
  orderId: { schema: nullable(z.string()), of: (p: Payment) => p.orderId ?? null },
  txHash: { schema: nullable(z.string()), of: (p: Payment) => p.txHash ?? null },
  blockNumber: {
    schema: nullable(z.int()),
    of: (p: Payment) => (p.blockNumber === undefined ? null : Number(p.blockNumber)),
  },
  expiresAt: { schema: time, of: (p: Payment) => isoTime(p.expiresAt) },
  createdAt: { schema: time, of: (p: Payment) => isoTime(p.createdAt) },
  /** Only there once the payment is confirmed. */
  confirmedAt: {
    schema: time.optional(),
    of: (p: Payment) => p.confirmedAt && timestampDate(p.confirmedAt).toISOString(),
  },
  refundedAt: { schema: nullable(time), of: (p: Payment) => isoTime(p.refundedAt) },
} as const;

type Field = keyof typeof FIELDS;

const PRIMARY = {
  created: [
    "id",
    "clientSecret",
    "status",
    "amount",
    "currency",
    "chainId",
    "recipientAddress",
    "description",
    "expiresAt",
    "createdAt",
  ],
  read: [
    "id",
    "status",
    "txHash",
    "blockNumber",
    "amount",
    "currency",
    "chainId",
    "createdAt",
    "confirmedAt",
  ],
  item: ["id", "status", "amount", "currency", "chainId", "createdAt"],
} as const satisfies Record<string, readonly Field[]>;

const B = {
  created: [
    "id",
    "clientSecret",
    "status",
    "amount",
    "currency",
    "chainId",
    "recipientAddress",
    "orderId",
    "expiresAt",
    "createdAt",
  ],
  read: [
    "id",
    "status",
    "txHash",
    "blockNumber",
    "amount",
    "currency",
    "chainId",
    "orderId",
    "createdAt",
    "confirmedAt",
  ],
  item: ["id", "status", "amount", "currency", "orderId", "createdAt"],
} as const satisfies Record<string, readonly Field[]>;

const SUBMITTED = [
  "id",
  "status",
  "txHash",
  "blockNumber",
  "amount",
  "currency",
  "chainId",
  "expiresAt",
] as const;
const REFUNDED = ["id", "status", "refundedAt"] as const;

/** The shape follows the stored payment, whoever reads it. */
const inShape = (kind: keyof typeof PRIMARY) => (payment: Payment) =>
  pick(FIELDS, (payment.variant === Variant.B ? B : PRIMARY)[kind], payment);

export const renderCreated = inShape("created");
export const renderRead = inShape("read");
export const renderItem = inShape("item");
export const renderSubmitted = (payment: Payment) => pick(FIELDS, SUBMITTED, payment);
export const renderRefunded = (payment: Payment) => pick(FIELDS, REFUNDED, payment);

const eitherShape = (kind: keyof typeof PRIMARY) =>
  z.union([shapeOf(FIELDS, PRIMARY[kind]), shapeOf(FIELDS, B[kind])]);

export const createdPayment = eitherShape("created");
export const readPayment = eitherShape("read");
export const paymentItem = eitherShape("item");
export const submittedPayment = shapeOf(FIELDS, SUBMITTED);
export const refundedPayment = shapeOf(FIELDS, REFUNDED);
