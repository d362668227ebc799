// One webhook for each noun of events. Another service makes the bodies; a test compares them with these schemas.
import { PUBLIC_TYPES } from "@pay/events";
import { UNMATCHED_REASONS } from "@pay/values";
import { z } from "zod";
import { ADDRESS, EVENT_BODY, EVENT_ID, PAY_ID, TREASURY, TX_HASH } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { keyItem } from "../keys/response.ts";
import type { Json } from "./json-schema.ts";

const status = shown.string("Status; the guide explains each value.", "confirmed");
const baseAmount = shown.string(
  "Amount in the smallest unit of the currency, as an integer string.",
  "12500000",
);
const time = z.iso.datetime();
const INCLUDED = "Only where the endpoint's `include` names it.";

/** By the noun of a type. */
export const WEBHOOK_BODIES = {
  payment: z
    .strictObject({
      id: shown.id("pay"),
      status,
      txHash: shown.txHash,
      blockNumber: shown.blockNumber,
      amount: baseAmount,
      currency: shown.currency,
      orderId: shown.stringOrNull("Your own reference."),
      chainId: shown.chainId,
      receivedAmount: shown
        .stringOrNull(`Amount that has arrived, in base units; null before any. ${INCLUDED}`)
        .optional(),
      refundedAmount: shown
        .stringOrNull(`Sum of the completed refunds, in base units; null before any. ${INCLUDED}`)
        .optional(),
      failureCode: shown
        .stringOrNull(`Reason of the failure; null unless the payment failed. ${INCLUDED}`)
        .optional(),
      metadata: shown.metadata
        .describe(`Your own keys and values, returned as you sent them. ${INCLUDED}`)
        .optional(),
    })
    .meta({ id: "PaymentWebhook" }),
  refund: z
    .strictObject({
      id: shown.id("refund"),
      paymentId: shown.paymentId,
      status,
      amount: baseAmount,
      currency: shown.currency,
      chainId: shown.chainId,
      txHash: shown.txHash,
      reason: shown.stringOrNull("Free text; null without one."),
      failureReason: shown.failureReason,
      orderId: shown.stringOrNull("Your own reference."),
      destinationSource: shown.destinationSource,
    })
    .meta({ id: "RefundWebhook" }),
  settlement: z
    .strictObject({
      id: shown.id("stl"),
      status,
      amount: baseAmount,
      currency: shown.currency,
      chainId: shown.chainId,
      destinationAddress: shown.string("Wallet that receives the money.", TREASURY),
      txHash: shown.txHash,
      blockNumber: shown.blockNumber,
      failureReason: shown.failureReason,
    })
    .meta({ id: "SettlementWebhook" }),
  customer: z
    .strictObject({
      id: shown.id("cust"),
      walletAddress: shown.stringOrNull("Wallet address."),
      displayName: shown.stringOrNull("Display name."),
      metadata: shown.metadata,
      createdAt: time.describe("Time of creation."),
      updatedAt: time.describe("Time of the last change."),
    })
    .meta({ id: "CustomerWebhook" }),
  project: z
    .strictObject({
      id: shown.id("proj"),
      name: shown.string("Name of the project.", "Mug shop"),
      changedFields: shown.strings("Fields that the change set.", ["allowedOrigins"]),
      changedBy: shown.stringOrNull(
        "Id of the key or member that made the change; null for the operator.",
      ),
    })
    .meta({ id: "ProjectWebhook" }),
  api_key: keyItem.omit({ lastUsedAt: true }).meta({ id: "ApiKeyWebhook" }),
  transfer: z
    .strictObject({
      id: shown.id("tr"),
      amount: baseAmount,
      currency: shown.currency,
      chainId: shown.chainId,
      txHash: shown.string("Transaction hash.", TX_HASH),
      logIndex: shown.integerOrNull(
        "Index of the log within its transaction; null for the native coin.",
        3,
      ),
      from: shown.string("Wallet that the money left.", TREASURY),
      to: shown.string("Wallet that received the money.", ADDRESS),
      blockNumber: shown.integer("Block of the transaction.", 21_000_000),
      minedAt: time.describe("Time of its block."),
      state: shown.choice(
        ["seen", "final"],
        "`final`, or `seen` while its block may still leave the chain.",
      ),
      reason: shown.choice(UNMATCHED_REASONS, "Reason why the transfer pays nothing."),
      candidates: shown.strings("Payments that the transfer may be meant for; at most ten.", [
        PAY_ID,
      ]),
    })
    .meta({ id: "TransferWebhook" }),
};

/** Headers of the schemes v1 and standard; docs/webhooks.md explains the verification. */
const HEADERS: Readonly<Record<string, [description: string, example: string]>> = {
  "X-Service-Event": ["Type of the event.", "payment.confirmed"],
  "X-Service-Event-Id": ["The same for every attempt: deduplicate by it.", EVENT_ID],
  "X-Service-Mode": ["live or test.", "live"],
  "X-Service-Attempt": ["1 to 4.", "1"],
  "X-Service-Sequence": ["Counts the changes of the resource.", "3"],
  "X-Service-Timestamp": ["Unix seconds of this attempt.", "1769860800"],
  "X-Service-Signature": [
    "Scheme v1: v1= and the hex HMAC-SHA256 of the timestamp, a dot and the raw body, under the endpoint's secret.",
    `v1=${"0a".repeat(32)}`,
  ],
  "X-Service-Signature-Next": [
    "The same under the next secret; present only while a secret is being rotated.",
    `v1=${"0b".repeat(32)}`,
  ],
  "webhook-id": ["Scheme standard: the id of the event.", EVENT_ID],
  "webhook-timestamp": ["Scheme standard: Unix seconds of this attempt.", "1769860800"],
  "webhook-signature": [
    "Scheme standard: v1, and the base64 HMAC-SHA256 of id, timestamp and raw body, with dots between, under the bytes that the endpoint's secret encodes; two of them, with a space between, while a secret is being rotated.",
    `v1,${Buffer.alloc(32, 10).toString("base64")}`,
  ],
};
/** Which signature a request has depends on the scheme of the endpoint. */
const OPTIONAL = /signature|^webhook-/i;

const PARAMETERS = Object.entries(HEADERS).map(([name, [description, example]]) => ({
  name,
  in: "header",
  description,
  required: !OPTIONAL.test(name),
  schema: { type: "string" },
  example,
}));

/** By noun: all events of a noun have one form. The schemas are those of the bodies. */
export function buildWebhooks(bodies: Record<string, Json>): Record<string, Json> {
  const nouns = [...new Set(PUBLIC_TYPES.map(getNoun))];
  return Object.fromEntries(nouns.map((noun) => [noun, { post: webhook(noun, bodies) }]));
}

function getNoun(type: string): string {
  return type.split(".")[0] ?? "";
}

function webhook(noun: string, bodies: Record<string, Json>): Json {
  return {
    operationId: `webhooks.${noun}`,
    tags: ["Webhooks"],
    // The signature among the headers proves the sender.
    security: [],
    summary: `Sent when an event of a ${noun} happens`,
    description: PUBLIC_TYPES.filter((type) => getNoun(type) === noun).join(", "),
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      description:
        "With the scheme standard this is the `data` of an object with `type`, `timestamp` and `data`.",
      content: {
        "application/json": {
          schema: bodies[noun],
          ...(noun === "payment" && { example: JSON.parse(EVENT_BODY) }),
        },
      },
    },
    responses: {
      "2XX": { description: "Received." },
      "4XX": { description: "Not received; sent again, as without a response within 10 s." },
      "5XX": { description: "Not received; sent again." },
    },
  };
}
