// What answers show of a payment: every field once with its schema and where it comes from, and the exact field
// set of every answer in both shapes of the interface. A documented field without a value is null.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { toDecimal } from "@pay/money";
import { type Payment, Variant } from "@pay/proto";
import { z } from "zod";
import { readCustomer } from "./customer.ts";
import { PAYMENT_STATUSES } from "./payment-statuses.ts";
import { readRefund } from "./refund.ts";
import { isoTime, isoTimeShape, metadataOf, metadataShape, pick, shapeOf } from "./shape.ts";
import { stepShape } from "./step.ts";
import { transferShape } from "./transfer.ts";

const text = z.string();
const textOrNull = z.string().nullable();

const FIELDS = {
  id: { schema: text, of: (p: Payment) => p.id },
  clientSecret: { schema: text, of: (p: Payment) => p.clientSecret },
  status: { schema: z.enum(PAYMENT_STATUSES), of: (p: Payment) => p.status },
  amount: { schema: text, of: (p: Payment) => p.amount },
  currency: { schema: text, of: (p: Payment) => p.currency },
  chainId: { schema: z.int(), of: (p: Payment) => Number(p.chainId) },
  recipientAddress: { schema: text, of: (p: Payment) => p.recipientAddress },
  description: { schema: textOrNull, of: (p: Payment) => p.description ?? null },
  orderId: { schema: textOrNull, of: (p: Payment) => p.orderId ?? null },
  txHash: { schema: textOrNull, of: (p: Payment) => p.txHash ?? null },
  blockNumber: {
    schema: z.int().nullable(),
    of: (p: Payment) => (p.blockNumber === undefined ? null : Number(p.blockNumber)),
  },
  expiresAt: { schema: isoTimeShape, of: (p: Payment) => isoTime(p.expiresAt) },
  createdAt: { schema: isoTimeShape, of: (p: Payment) => isoTime(p.createdAt) },
  // Only there once the payment is confirmed.
  confirmedAt: {
    schema: isoTimeShape.optional(),
    of: (p: Payment) => p.confirmedAt && timestampDate(p.confirmedAt).toISOString(),
  },
  refundedAt: { schema: isoTimeShape.nullable(), of: (p: Payment) => isoTime(p.refundedAt) },
  metadata: { schema: metadataShape, of: (p: Payment) => metadataOf(p.metadataJson) },
  qrMode: { schema: z.boolean(), of: (p: Payment) => p.qrMode },
  customerId: { schema: textOrNull, of: (p: Payment) => p.customerId ?? null },
  payerAddress: { schema: textOrNull, of: (p: Payment) => p.payerAddress ?? null },
  receivedAmount: {
    schema: textOrNull,
    of: (p: Payment) =>
      p.receivedBaseAmount === undefined
        ? null
        : toDecimal(BigInt(p.receivedBaseAmount), p.decimals),
  },
  failureCode: { schema: textOrNull, of: (p: Payment) => p.failureCode ?? null },
} as const;

type Field = keyof typeof FIELDS;

/** What an answer shows besides, when it is asked for. */
export const PAYMENT_EXTRAS = [
  "metadata",
  "description",
  "recipientAddress",
  "orderId",
  "qrMode",
  "customerId",
  "payerAddress",
  "receivedAmount",
  "failureCode",
  "expiresAt",
  "refundedAt",
] as const satisfies readonly Field[];

/** What a payment shows besides of records that are kept elsewhere. */
export const PAYMENT_RELATIONS = ["customer", "refunds", "transfers", "timeline"] as const;

export type PaymentRelation = (typeof PAYMENT_RELATIONS)[number];
type Extra = (typeof PAYMENT_EXTRAS)[number] | PaymentRelation;
type Names = readonly Field[];

const CREATED: Names = ["id", "clientSecret", "status", "amount", "currency", "chainId"];
const READ: Names = ["id", "status", "txHash", "blockNumber", "amount", "currency", "chainId"];
const ITEM: Names = ["id", "status", "amount", "currency"];

const PRIMARY = {
  created: [...CREATED, "recipientAddress", "description", "expiresAt", "createdAt"],
  read: [...READ, "createdAt", "confirmedAt"],
  item: [...ITEM, "chainId", "createdAt"],
} satisfies Record<string, Names>;

const B = {
  created: [...CREATED, "recipientAddress", "orderId", "expiresAt", "createdAt"],
  read: [...READ, "orderId", "createdAt", "confirmedAt"],
  item: [...ITEM, "orderId", "createdAt"],
} satisfies Record<string, Names>;

const SUBMITTED: Names = [...READ, "expiresAt"];
const REFUNDED: Names = ["id", "status", "refundedAt"];

/** The shape follows the stored payment, whoever reads it. */
const inShape =
  (kind: keyof typeof PRIMARY) =>
  (payment: Payment, extras: readonly Extra[] = []) =>
    pick(FIELDS, (payment.variant === Variant.B ? B : PRIMARY)[kind], payment, extras);

export const renderCreated = inShape("created");
export const renderRead = inShape("read");
export const renderItem = inShape("item");
export const renderSubmitted = (payment: Payment) => pick(FIELDS, SUBMITTED, payment);
export const renderRefunded = (payment: Payment) => pick(FIELDS, REFUNDED, payment);

const eitherShape = (
  kind: keyof typeof PRIMARY,
  extras: readonly Field[] = [],
  relations: z.ZodRawShape = {},
) =>
  z.union([
    shapeOf(FIELDS, PRIMARY[kind], extras).extend(relations),
    shapeOf(FIELDS, B[kind], extras).extend(relations),
  ]);

export const createdPayment = eitherShape("created");
const RELATIONS = {
  customer: readCustomer.nullable().optional(),
  refunds: z.array(readRefund).optional(),
  transfers: z.array(transferShape).optional(),
  timeline: z.array(stepShape).optional(),
} satisfies Record<PaymentRelation, z.ZodType>;

export const readPayment = eitherShape("read", PAYMENT_EXTRAS, RELATIONS);
export const paymentItem = eitherShape("item", PAYMENT_EXTRAS, RELATIONS);
export const submittedPayment = shapeOf(FIELDS, SUBMITTED);
export const refundedPayment = shapeOf(FIELDS, REFUNDED);
