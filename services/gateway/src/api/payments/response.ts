// What answers show of a payment: every field once with its schema and where it comes from, and the exact field
// set of every answer in both shapes of the interface. A documented field without a value is null.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { type Payment, Variant } from "@pay/proto";
import {
  checksumAddress,
  NEEDS,
  needsIn,
  SCREENING_CAUSES,
  toAddress,
  toAmount,
  toChainId,
  toDecimal,
} from "@pay/values";
import { z } from "zod";
import { readCustomer } from "../customers/response.ts";
import { ADDRESS, CLIENT_SECRET, PAY_ID } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { readRefund } from "../refunds/response.ts";
import {
  buildShape,
  type Internal,
  listNames,
  type MessageFields,
  pick,
} from "../response-fields.ts";
import { PAYMENT_STATUSES, stepShape } from "./step-response.ts";
import { attributionShape, transferShape } from "./transfer-response.ts";

/** Fields that no answer shows, and fields that answers show under another name. */
type KeptBack =
  | Internal
  | "variant"
  | "metadataJson"
  | "receivedBaseAmount"
  | "finalBaseAmount"
  | "refundedBaseAmount"
  | "senders"
  | "senderAddress"
  | "hashes"
  | "arrived"
  | "refundDeclared"
  | "payerSignedAt"
  | "cancelledAt"
  | "closedAt"
  | "lateDecision"
  | "unnamedTransfers"
  | "displayCurrency"
  | "extensions";

/** Where the customer pays. */
export function getPayTo({
  payTo,
  recipientAddress,
}: Pick<Payment, "payTo" | "recipientAddress">): string {
  return payTo === undefined ? recipientAddress : checksumAddress(toAddress(payTo));
}

function toSum(base: string | undefined, decimals: number): string | null {
  return base === undefined ? null : toDecimal(toAmount(base), decimals);
}

/** What creates payments. */
export const PAYMENT_SOURCES = ["api", "dashboard"] as const;

const FIELDS = {
  id: { schema: shown.id("pay"), of: (p) => p.id },
  clientSecret: {
    schema: shown.string(
      "The customer's credential for this payment alone. Returned once.",
      CLIENT_SECRET,
    ),
    of: (p) => p.clientSecret,
  },
  status: {
    schema: shown.choice(PAYMENT_STATUSES, "Status; the guide explains each value."),
    of: (p) => p.status,
  },
  amount: { schema: shown.amount, of: (p) => p.amount },
  currency: { schema: shown.currency, of: (p) => p.currency },
  chainId: { schema: shown.chainId, of: (p) => toChainId(p.chainId) },
  recipientAddress: { schema: shown.recipientAddress, of: (p) => p.recipientAddress },
  payTo: { schema: shown.payTo, of: (p) => getPayTo(p) },
  description: {
    schema: shown.stringOrNull("Text that the customer reads.", "Two mugs"),
    of: (p) => p.description ?? null,
  },
  orderId: { schema: shown.stringOrNull("Your own reference."), of: (p) => p.orderId ?? null },
  txHash: { schema: shown.txHash, of: (p) => p.txHash ?? null },
  blockNumber: {
    schema: shown.blockNumber,
    of: (p) => (p.blockNumber === undefined ? null : Number(p.blockNumber)),
  },
  expiresAt: { schema: shown.expiresAt, of: (p) => shown.isoTime(p.expiresAt) },
  createdAt: { schema: shown.createdAt, of: (p) => shown.isoTime(p.createdAt) },
  // Only there once the payment is confirmed.
  confirmedAt: {
    schema: shown.time("Time of the confirmation.").optional(),
    of: (p) => p.confirmedAt && timestampDate(p.confirmedAt).toISOString(),
  },
  refundedAt: {
    schema: shown.timeOrNull("Time of the refund; null before it."),
    of: (p) => shown.isoTime(p.refundedAt),
  },
  metadata: { schema: shown.metadata, of: (p) => shown.toMetadata(p.metadataJson) },
  qrMode: {
    schema: shown.boolean("Whether the checkout page shows the QR code first."),
    of: (p) => p.qrMode,
  },
  customerId: {
    schema: shown.stringOrNull("Id of the customer."),
    of: (p) => p.customerId ?? null,
  },
  payerAddress: {
    schema: shown.stringOrNull(
      "The customer's wallet: declared, or the one that has signed; null without one.",
    ),
    of: (p) => p.payerAddress ?? null,
  },
  receivedAmount: {
    schema: shown.stringOrNull(
      "Amount that has arrived for the payment, in time and late; null before any.",
    ),
    of: (p) => toSum(p.receivedBaseAmount, p.decimals),
  },
  receivedBySender: {
    schema: z
      .array(
        z.strictObject({
          address: shown.string("Wallet that sent the money.", ADDRESS),
          amount: shown.amount,
        }),
      )
      .describe("Final amounts by sending wallet, the largest first; at most ten."),
    of: (p) =>
      p.senders.map(({ address, baseAmount }) => ({
        address: checksumAddress(toAddress(address)),
        amount: toSum(baseAmount, p.decimals),
      })),
  },
  refundedAmount: {
    schema: shown.stringOrNull("Sum of the completed refunds; null before any."),
    of: (p) => toSum(p.refundedBaseAmount, p.decimals),
  },
  failureCode: { schema: shown.failureCode, of: (p) => p.failureCode ?? null },
  needs: {
    schema: shown.choiceOrNull(
      NEEDS,
      "`payer_signature`: the paying wallet must sign; `review`: you must review the transaction; null: nothing.",
    ),
    of: (p) => needsIn(p.needs) ?? null,
  },
  screened: {
    schema: z
      .array(
        z.strictObject({
          address: shown.string("Wallet that pays, or wants to.", ADDRESS),
          cause: shown.choice(
            SCREENING_CAUSES,
            "What named it; `unanswered`: nothing answered in time.",
            "list",
          ),
        }),
      )
      .meta({
        description:
          "Wallets that your screening has named for the payment: their money confirms it only once you accept it.",
        example: [],
      }),
    of: (p) =>
      p.screened.map(({ address, cause }) => ({
        address: checksumAddress(toAddress(address)),
        cause,
      })),
  },
  returnUrl: {
    schema: shown.stringOrNull(
      "Link of the checkout page back to your shop, shown when the payment has ended.",
    ),
    of: (p) => p.returnUrl ?? null,
  },
  cancelUrl: {
    schema: shown.stringOrNull(
      "Link of the checkout page back to your shop, shown while nothing is paid.",
    ),
    of: (p) => p.cancelUrl ?? null,
  },
  displayAmount: { schema: shown.displayAmount, of: shown.toDisplayAmount },
  locale: {
    schema: shown.stringOrNull("Language of the checkout page."),
    of: (p) => p.locale ?? null,
  },
  source: {
    schema: shown.choice(
      PAYMENT_SOURCES,
      "What created the payment: a key by the `api`, or a person in the `dashboard`.",
    ),
    of: (p) => p.source ?? "api",
  },
  requestedBy: { schema: shown.requestedBy, of: (p) => p.requestedBy ?? null },
} satisfies MessageFields<Payment, KeptBack>;

type Field = keyof typeof FIELDS;

const CREATED = ["id", "clientSecret", "status", "amount", "currency", "chainId"] as const;
const READ = ["id", "status", "txHash", "blockNumber", "amount", "currency", "chainId"] as const;

/** Lists of Variant B leave chainId out. */
type Shown =
  | Exclude<(typeof CREATED | typeof READ)[number], "chainId">
  | "createdAt"
  | "confirmedAt";

/** Fields that an answer shows only when the request names them: a field that no answer shows does not compile. */
const EXTRAS = {
  chainId: "shopper",
  metadata: "merchant",
  description: "shopper",
  recipientAddress: "shopper",
  payTo: "shopper",
  orderId: "shopper",
  qrMode: "shopper",
  customerId: "shopper",
  payerAddress: "shopper",
  receivedAmount: "shopper",
  receivedBySender: "merchant",
  refundedAmount: "shopper",
  failureCode: "shopper",
  needs: "shopper",
  screened: "merchant",
  expiresAt: "shopper",
  refundedAt: "shopper",
  returnUrl: "shopper",
  cancelUrl: "shopper",
  displayAmount: "shopper",
  locale: "shopper",
  source: "merchant",
  requestedBy: "merchant",
} satisfies Record<Exclude<Field, Shown>, "merchant" | "shopper">;

export const PAYMENT_EXTRAS = listNames(EXTRAS);

/** What is no field of a stored payment, and is shown on request. */
export const PAYMENT_RELATIONS = [
  "customer",
  "refunds",
  "transfers",
  "attribution",
  "timeline",
  "checkoutUrl",
] as const;

export type PaymentRelation = (typeof PAYMENT_RELATIONS)[number];
type Extra = (typeof PAYMENT_EXTRAS)[number] | PaymentRelation;

/** Those of them that a shopper's session may ask for: nothing of the merchant's own, and no record of the customer. */
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
  name: string,
  kind: keyof typeof PRIMARY,
  extras: readonly Field[] = [],
  relations: z.ZodRawShape = {},
) {
  function shape(variant: typeof PRIMARY | typeof B) {
    return buildShape(name, FIELDS, variant[kind], extras).extend(relations);
  }

  return z
    .union([
      shape(PRIMARY).meta({ id: `${name}Primary` }),
      shape(B).meta({ id: `${name}B`, deprecated: true }),
    ])
    .meta({ id: name });
}

export const createdPayment = eitherShape("CreatedPayment", "created", [], {
  checkoutUrl: shown
    .string(
      "Link to the checkout page. The client secret is in its fragment.",
      `https://pay.example/pay/${PAY_ID}#${CLIENT_SECRET}`,
    )
    .optional(),
});
const RELATIONS = {
  customer: readCustomer
    .nullable()
    .optional()
    .describe(
      "The payment's customer, else the oldest customer with the paying wallet; null without one.",
    ),
  refunds: z.array(readRefund).optional().describe("Refunds of the payment, newest first."),
  transfers: z
    .array(transferShape)
    .optional()
    .describe("Transfers on the chain that count for the payment."),
  attribution: z
    .array(attributionShape)
    .optional()
    .describe("Rule by which each of these transfers counts for the payment."),
  timeline: z.array(stepShape).optional().describe("Steps of the payment, oldest first."),
  checkoutUrl: shown
    .stringOrNull(
      "Link to the checkout page, with the client secret in its fragment; null once the secret has expired.",
    )
    .optional(),
} satisfies Record<PaymentRelation, z.ZodType>;

export const readPayment = eitherShape("Payment", "read", PAYMENT_EXTRAS, RELATIONS);
export const paymentItem = eitherShape("PaymentItem", "item", PAYMENT_EXTRAS, RELATIONS);
export const submittedPayment = buildShape("PaymentConfirm", FIELDS, SUBMITTED);
export const changedPayment = buildShape("PaymentPayer", FIELDS, CHANGED);
export const handoff = z
  .strictObject({
    url: shown.string(
      "Link that opens the checkout page once in another browser.",
      `https://pay.example/pay/${PAY_ID}/h/ho_3kPzVw6tQ9dRxY2mBn7LcS4f`,
    ),
    expiresAt: shown.expiresAt,
  })
  .meta({ id: "PaymentHandoff" });
export const openedPayment = z.strictObject({
  id: shown.id("pay"),
  clientSecret: shown.string(
    "The customer's credential for this payment alone. Returned once.",
    CLIENT_SECRET,
  ),
});
export const refundedPayment = buildShape("PaymentRefund", FIELDS, REFUNDED);
