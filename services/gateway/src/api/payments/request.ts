// What requests about payments may say, in either shape of the interface, and as the payments service takes it.

import { Failure } from "@pay/failures";
import { Variant } from "@pay/proto";
import { NEEDS, REASONS, toChainId } from "@pay/values";
import { z } from "zod";
import type { Caller } from "../../keys/caller.ts";
import type { Call } from "../../pipeline/route.ts";
import { noteDeprecated } from "../../pipeline/versions.ts";
import { findWallet } from "../../projects/default-wallets.ts";
import { allowsOrigin } from "../../projects/origins.ts";
import { ADDRESS } from "../example-values.ts";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";
import { getPage, toPeriod } from "../page.ts";
import { PAYMENT_EXTRAS, PAYMENT_RELATIONS, PAYMENT_SOURCES } from "./response.ts";
import { PAYMENT_STATUSES } from "./step-response.ts";

const MINUTES_MAX = 10_080;
/** The languages of the checkout page. */
const LOCALES = ["en", "de", "fr", "es", "pt-BR", "ja", "zh-Hans", "ar"] as const;

export const paymentCreation = z.object({
  amount: field.amount(),
  chainId: field.chainId(),
  currency: field.currency(),
  recipientAddress: field
    .address()
    .optional()
    .describe(
      "Your wallet, which receives the money. Without it that of the project's wallets for the chain.",
    ),
  description: field.text(500).optional().describe("Text that the customer reads."),
  metadata: field.metadata().optional(),
  qrMode: field.flag().optional().describe("Whether the checkout page shows the QR code first."),
  orderId: field.reference(128).optional().describe("Your own reference."),
  expiresInMinutes: field
    .integer(1, MINUTES_MAX)
    .optional()
    .describe("Minutes until the payment expires. Belongs to Variant B."),
  customerId: field.getId("cust").optional().describe("Id of the customer."),
  returnUrl: field
    .httpsUrl()
    .optional()
    .describe("Link of the checkout page back to your shop, shown when the payment has ended."),
  cancelUrl: field
    .httpsUrl()
    .optional()
    .describe("Link of the checkout page back to your shop, shown while nothing is paid."),
  displayAmount: field
    .displayAmount()
    .optional()
    .describe("What the checkout page shows beside the amount; never converted."),
  locale: field.choiceField(LOCALES).optional().describe("Language of the checkout page."),
  depositAddresses: field
    .flag()
    .optional()
    .describe("Whether the payment gets a deposit address; otherwise the project's setting."),
});

/** A whole order: the project of a reader may have no wallet of its own. */
export const CREATION_EXAMPLE = {
  recipientAddress: ADDRESS,
  description: "Two mugs",
  metadata: { cart: "1729" },
};

/** Fields that the answer to a creation shows only when the request names them. */
export const creationExpansion = z.object({ expand: field.expansion(["checkoutUrl"]) });

const expand = field.expansion([...PAYMENT_EXTRAS, ...PAYMENT_RELATIONS]);

export const paymentExpansion = z.object({ expand });

/** Why a payment failed, or expired with money or by the merchant. */
const FAILURE_CODES = ["cancelled", ...REASONS.filter((one) => one !== "payer_mismatch")] as const;

export const paymentFilters = z.object({
  ...field.pageFields("pay"),
  status: field
    .listField(PAYMENT_STATUSES)
    .optional()
    .describe("Status; the guide explains each value."),
  orderId: field.reference(128).optional().describe("Your own reference."),
  chainId: field.chainFilter(),
  ...field.createdFields(),
  txHash: field.txHash().optional(),
  customerId: field.getId("cust").optional().describe("Id of the customer."),
  payerAddress: field.address().optional().describe("Wallet that paid, else the declared one."),
  recipientAddress: field.address().optional().describe("Your wallet, which receives the money."),
  currency: field.currency().optional(),
  amountFrom: field.amount().optional().describe("Smallest amount, in whole units."),
  amountTo: field.amount().optional().describe("Largest amount, in whole units."),
  failureCode: field.choiceField(FAILURE_CODES).optional().describe("Reason of the failure."),
  needs: field.choiceField(NEEDS).optional().describe("Only payments that wait for a person."),
  refunded: field.queryFlag().optional().describe("Whether a refund is completed."),
  source: field.choiceField(PAYMENT_SOURCES).optional().describe("What created the payment."),
  expand,
});

export const submission = z.object({
  txHash: field.txHash(),
  payerAddress: field
    .address()
    .optional()
    .describe("The customer's wallet; decides nothing unless it signs."),
});

export const merchantSubmission = submission.extend({
  attribute: field
    .flag()
    .optional()
    .describe(
      "true: the transfers of the transaction are for this payment, by your word, in any amount and at any time. Otherwise the hash only says where to look.",
    ),
});

export const confirmation = z.object({
  clientSecret: field.clientSecret(),
  ...submission.shape,
});

export const resolution = z.object({
  action: z
    .enum(["accept", "reject"], buildRule("be accept or reject"))
    .describe("`accept` what arrived as the payment, or `reject` it."),
});

const declared = {
  payerAddress: field.address().describe("The customer's wallet; decides nothing unless it signs."),
  signature: field
    .signature()
    .optional()
    .describe(
      "The wallet's signature of `payerMessage` or the payment id, in hex; required while `needs` is `payer_signature`.",
    ),
};
export const payerDeclaration = z.object(declared);
export const payerDeclarationWithSecret = z.object({
  clientSecret: field.clientSecret(),
  ...declared,
});

export const noFields = z.object({});
const codeRule = buildRule("be a string of 1 to 100 characters");
export const handoffCode = z.object({
  code: z.string(codeRule).min(1, codeRule).max(100, codeRule).describe("Code of the link."),
});
export const extension = payerDeclarationWithSecret.pick({ clientSecret: true });

type Creation = z.output<typeof paymentCreation>;

export const VARIANT_HEADER = {
  name: "X-Service-Variant",
  description: "Shape of the interface: primary or b.",
  maxLength: 7,
};

const VARIANTS = new Map([
  ["primary", Variant.PRIMARY],
  ["b", Variant.B],
]);

/** The shape that the header names or the project has settled on. */
export function chosenVariant(call: Pick<Call, "caller" | "header">): Variant | undefined {
  const header = call.header("x-service-variant");
  const name = header?.toLowerCase() ?? call.caller.variant;
  if (name === null) return undefined;
  const variant = VARIANTS.get(name);
  if (variant === undefined) {
    throw new Failure("variant_unknown", "X-Service-Variant must be primary or b");
  }
  return variant;
}

/** Otherwise the fields decide: only the older shape has an order id and a lifetime, only the newer one the rest. */
export function chooseVariant(call: Pick<Call, "caller" | "header">, body: Creation): Variant {
  const older = body.orderId !== undefined || body.expiresInMinutes !== undefined;
  const newer = body.qrMode !== undefined || body.metadata !== undefined;
  return chosenVariant(call) ?? (older && !newer ? Variant.B : Variant.PRIMARY);
}

const DETECTED_VARIANT_B =
  "orderId and expiresInMinutes chose Variant B; send X-Service-Variant: primary or b";

/** A shape that the fields have chosen may be one that the merchant does not know of. */
export function noteVariantB(
  call: Pick<Call, "caller" | "header" | "reply">,
  sunset: string | undefined,
): void {
  noteDeprecated(call.reply, sunset);
  if (chosenVariant(call) === undefined) call.reply("X-Service-Warning", DETECTED_VARIANT_B);
}

export function toOrder(caller: Caller, body: Creation) {
  return {
    amount: body.amount,
    chainId: BigInt(body.chainId),
    currency: body.currency,
    qrMode: body.qrMode ?? false,
    expiresInMinutes: body.expiresInMinutes ?? caller.paymentLifetimeMinutes,
    description: body.description,
    metadataJson: body.metadata && JSON.stringify(body.metadata),
    orderId: body.orderId,
    customerId: body.customerId,
    returnUrl: body.returnUrl,
    cancelUrl: body.cancelUrl,
    displayAmount: body.displayAmount?.amount,
    displayCurrency: body.displayAmount?.currency,
    locale: body.locale,
    unnamedTransfers: caller.unnamedTransfers ?? undefined,
    depositAddresses: body.depositAddresses ?? caller.depositAddresses,
    source: caller.type === "member" ? "dashboard" : undefined,
    requestedBy: caller.actor,
  };
}

/** The wallet that the request names, else the project's own for the chain. */
export function findRecipient({ wallets }: Caller, body: Creation, now: Date): string | undefined {
  return body.recipientAddress ?? findWallet(wallets, toChainId(body.chainId), now);
}

export function checkRecipient(recipient: string | undefined, { chainId }: Creation): void {
  if (recipient !== undefined) return;
  const missing = `wallets of the project has none for chain ${chainId}`;
  throw new Failure("field_invalid", `recipientAddress is required, because ${missing}`);
}

/** A link of the shop must lead to the shop: a caller with a key for creations must not send shoppers elsewhere. */
export function checkLinks({ allowedOrigins }: Caller, body: Creation): void {
  const foreign = (["returnUrl", "cancelUrl"] as const).filter((name) => {
    const link = body[name];
    return link !== undefined && !allowsOrigin(allowedOrigins, new URL(link).origin);
  });
  if (foreign.length === 0) return;
  const faults = foreign.map((name) => `${name} must be on one of the project's allowedOrigins`);
  throw new Failure("field_invalid", faults.join("; "));
}

export function toFilter(query: z.output<typeof paymentFilters>) {
  return {
    page: getPage(query),
    statuses: query.status ?? [],
    orderId: query.orderId,
    chainId: query.chainId === undefined ? undefined : BigInt(query.chainId),
    txHash: query.txHash,
    customerId: query.customerId,
    payerAddress: query.payerAddress,
    recipientAddress: query.recipientAddress,
    currency: query.currency,
    amountFrom: query.amountFrom,
    amountTo: query.amountTo,
    failureCode: query.failureCode,
    needs: query.needs,
    refunded: query.refunded,
    source: query.source,
    ...toPeriod(query),
  };
}
