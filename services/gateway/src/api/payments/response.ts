// What answers show of a payment: every field once with its schema and where it comes from, and the exact field
// set of every answer in both shapes of the interface. A documented field without a value is null.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Payment, Variant } from "@pay/proto";
import { NEEDS, needsIn, toAmount, toChainId, toDecimal } from "@pay/values";
import { z } from "zod";
import { readCustomer } from "../customers/response.ts";
import { isoTime, isoTimeShape, metadataShape, textOrNull, toMetadata } from "../field-values.ts";
import { readRefund } from "../refunds/response.ts";
import {
  buildShape,
  type Internal,
  listNames,
  type MessageFields,
  pick,
} from "../response-fields.ts";
import { PAYMENT_STATUSES } from "./statuses.ts";
import { stepShape } from "./step-response.ts";
import { transferShape } from "./transfer-response.ts";

const text = z.string();

/** Fields that no answer shows, and fields that answers show under another name. */
type KeptBack =
  | Internal
  | "variant"
  | "metadataJson"
  | "receivedBaseAmount"
  | "senderAddress"
  | "refundDeclared"
  | "merchantSubmitted"
  | "payerDeclaredAt"
  | "payerSignedAt"
  | "lateDecision"
  | "unsignedClaims"
  | "extensions";

const FIELDS = {
  id: { schema: text, of: (p) => p.id },
  clientSecret: { schema: text, of: (p) => p.clientSecret },
  status: { schema: z.enum(PAYMENT_STATUSES), of: (p) => p.status },
  amount: { schema: text, of: (p) => p.amount },
  currency: { schema: text, of: (p) => p.currency },
  chainId: { schema: z.int(), of: (p) => toChainId(p.chainId) },
  recipientAddress: { schema: text, of: (p) => p.recipientAddress },
  description: { schema: textOrNull, of: (p) => p.description ?? null },
  orderId: { schema: textOrNull, of: (p) => p.orderId ?? null },
  txHash: { schema: textOrNull, of: (p) => p.txHash ?? null },
  blockNumber: {
    schema: z.int().nullable(),
    of: (p) => (p.blockNumber === undefined ? null : Number(p.blockNumber)),
  },
  expiresAt: { schema: isoTimeShape, of: (p) => isoTime(p.expiresAt) },
  createdAt: { schema: isoTimeShape, of: (p) => isoTime(p.createdAt) },
  // Only there once the payment is confirmed.
  confirmedAt: {
    schema: isoTimeShape.optional(),
    of: (p) => p.confirmedAt && timestampDate(p.confirmedAt).toISOString(),
  },
  refundedAt: { schema: isoTimeShape.nullable(), of: (p) => isoTime(p.refundedAt) },
  metadata: { schema: metadataShape, of: (p) => toMetadata(p.metadataJson) },
  qrMode: { schema: z.boolean(), of: (p) => p.qrMode },
  customerId: { schema: textOrNull, of: (p) => p.customerId ?? null },
  payerAddress: { schema: textOrNull, of: (p) => p.payerAddress ?? null },
  receivedAmount: {
    schema: textOrNull,
    of: (p) =>
      p.receivedBaseAmount === undefined
        ? null
        : toDecimal(toAmount(p.receivedBaseAmount), p.decimals),
  },
  failureCode: { schema: textOrNull, of: (p) => p.failureCode ?? null },
  needs: { schema: z.enum(NEEDS).nullable(), of: (p) => needsIn(p.needs) ?? null },
  returnUrl: { schema: textOrNull, of: (p) => p.returnUrl ?? null },
  locale: { schema: textOrNull, of: (p) => p.locale ?? null },
} satisfies MessageFields<Payment, KeptBack>;

type Field = keyof typeof FIELDS;

const CREATED = ["id", "clientSecret", "status", "amount", "currency", "chainId"] as const;
const READ = ["id", "status", "txHash", "blockNumber", "amount", "currency", "chainId"] as const;

type Shown = (typeof CREATED | typeof READ)[number] | "createdAt" | "confirmedAt";

/** Fields that an answer shows only when the request names them: a field that no answer shows does not compile. */
const EXTRAS = {
  metadata: "merchant",
  description: "shopper",
  recipientAddress: "shopper",
  orderId: "shopper",
  qrMode: "shopper",
  customerId: "shopper",
  payerAddress: "shopper",
  receivedAmount: "shopper",
  failureCode: "shopper",
  needs: "shopper",
  expiresAt: "shopper",
  refundedAt: "shopper",
  returnUrl: "shopper",
  locale: "shopper",
} satisfies Record<Exclude<Field, Shown>, "merchant" | "shopper">;

export const PAYMENT_EXTRAS = listNames(EXTRAS);

/** Records that are stored elsewhere and that a payment shows on request. */
export const PAYMENT_RELATIONS = ["customer", "refunds", "transfers", "timeline"] as const;

export type PaymentRelation = (typeof PAYMENT_RELATIONS)[number];
type Extra = (typeof PAYMENT_EXTRAS)[number] | PaymentRelation;

/** Those of them that a shopper's session may ask for: neither the merchant's metadata nor the customer's record. */
export const PAYMENT_EXTRAS_OF_SESSIONS = [
  ...PAYMENT_EXTRAS.filter((name) => EXTRAS[name] === "shopper"),
  "refunds",
  "transfers",
  "timeline",
] as const satisfies readonly Extra[];
type Names = readonly Field[];

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
const CHANGED: Names = [...READ, "expiresAt", "failureCode", "payerAddress"];
const REFUNDED: Names = ["id", "status", "refundedAt"];

/** The others are records that are stored elsewhere. */
function isField(extra: Extra): extra is Exclude<Extra, PaymentRelation> {
  return extra in FIELDS;
}

/** The shape is that of the stored payment, whichever shape the reader prefers. */
function inShape(kind: keyof typeof PRIMARY) {
  return (payment: Payment, extras: readonly Extra[] = []) =>
    pick(
      FIELDS,
      (payment.variant === Variant.B ? B : PRIMARY)[kind],
      payment,
      extras.filter(isField),
    );
}

export const renderCreated = inShape("created");
export const renderRead = inShape("read");
export const renderItem = inShape("item");
export function renderSubmitted(payment: Payment) {
  return pick(FIELDS, SUBMITTED, payment);
}

export function renderChanged(payment: Payment) {
  return pick(FIELDS, CHANGED, payment);
}

export function renderRefunded(payment: Payment) {
  return pick(FIELDS, REFUNDED, payment);
}

function eitherShape(
  kind: keyof typeof PRIMARY,
  extras: readonly Field[] = [],
  relations: z.ZodRawShape = {},
) {
  return z.union([
    buildShape(FIELDS, PRIMARY[kind], extras).extend(relations),
    buildShape(FIELDS, B[kind], extras).extend(relations),
  ]);
}

export const createdPayment = eitherShape("created", [], {
  checkoutUrl: z.string().optional(),
});
const RELATIONS = {
  customer: readCustomer.nullable().optional(),
  refunds: z.array(readRefund).optional(),
  transfers: z.array(transferShape).optional(),
  timeline: z.array(stepShape).optional(),
} satisfies Record<PaymentRelation, z.ZodType>;

export const readPayment = eitherShape("read", PAYMENT_EXTRAS, RELATIONS);
export const paymentItem = eitherShape("item", PAYMENT_EXTRAS, RELATIONS);
export const submittedPayment = buildShape(FIELDS, SUBMITTED);
export const changedPayment = buildShape(FIELDS, CHANGED);
export const handoff = z.strictObject({ url: z.string(), expiresAt: isoTimeShape });
export const openedPayment = z.strictObject({ id: z.string(), clientSecret: z.string() });
export const refundedPayment = buildShape(FIELDS, REFUNDED);
