// What the product sends, beside what it answers: one webhook for each type of event. The bodies are made in another service;
// a test holds them against these schemas.
import { PUBLIC_TYPES } from "@pay/events";
import { z } from "zod";
import { EVENT_BODY, EVENT_ID } from "../example-values.ts";
import { textOrNull } from "../field-values.ts";
import type { Components } from "./components.ts";
import { describeFields } from "./describe-fields.ts";
import { type Json, toJsonSchema } from "./json-schema.ts";

const text = z.string();
const wholeOrNull = z.int().nullable();
const amount = z.string().describe("The amount as an integer of the smallest unit.");
const time = z.iso.datetime();

/** By the noun of a type. */
export const WEBHOOK_BODIES = {
  payment: z.strictObject({
    id: text,
    status: text,
    txHash: textOrNull,
    blockNumber: wholeOrNull,
    amount,
    currency: text,
    orderId: textOrNull,
    chainId: z.int(),
  }),
  refund: z.strictObject({
    id: text,
    paymentId: text,
    status: text,
    amount,
    currency: text,
    chainId: z.int(),
    txHash: textOrNull,
    reason: textOrNull,
    failureReason: textOrNull,
    orderId: textOrNull,
  }),
  settlement: z.strictObject({
    id: text,
    status: text,
    amount,
    currency: text,
    chainId: z.int(),
    destinationAddress: text,
    txHash: textOrNull,
    blockNumber: wholeOrNull,
    failureReason: textOrNull,
  }),
  customer: z.strictObject({
    id: text,
    walletAddress: textOrNull,
    displayName: textOrNull,
    metadata: z.record(z.string(), z.unknown()).nullable(),
    createdAt: time,
    updatedAt: time,
  }),
};

/** Of the scheme v1; docs/webhooks.md tells how to verify. */
const HEADERS: Readonly<Record<string, [description: string, example: string]>> = {
  "X-Service-Event": ["Type of the event.", "payment.confirmed"],
  "X-Service-Event-Id": ["The same for every attempt: deduplicate by it.", EVENT_ID],
  "X-Service-Mode": ["live or test.", "live"],
  "X-Service-Attempt": ["1 to 4.", "1"],
  "X-Service-Sequence": ["Counts the changes of the resource.", "3"],
  "X-Service-Timestamp": ["Unix seconds of this attempt.", "1769860800"],
  "X-Service-Signature": [
    "v1= and the hex HMAC-SHA256 of the timestamp, a dot and the raw body, under the endpoint's secret.",
    `v1=${"0a".repeat(32)}`,
  ],
  "X-Service-Signature-Next": [
    "The same under the next secret; present only while a secret is being rotated.",
    `v1=${"0b".repeat(32)}`,
  ],
};
const OPTIONAL = "X-Service-Signature-Next";

const PARAMETERS = Object.entries(HEADERS).map(([name, [description, example]]) => ({
  name,
  in: "header",
  description,
  required: name !== OPTIONAL,
  schema: { type: "string" },
  example,
}));

/** By type of event. */
export function buildWebhooks(components: Components): Record<string, Json> {
  return Object.fromEntries(
    PUBLIC_TYPES.map((type) => [type, { post: webhook(type, components) }]),
  );
}

function webhook(type: string, components: Components): Json {
  const [noun = ""] = type.split(".");
  const body = WEBHOOK_BODIES[noun as keyof typeof WEBHOOK_BODIES];
  const name = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Webhook`;
  const schema = components.add(name, describeFields(toJsonSchema(body, "output"), name));
  return {
    operationId: `webhooks.${type}`,
    tags: ["Webhooks"],
    summary: `Sent when the event ${type} happens`,
    parameters: PARAMETERS,
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema,
          ...(type === "payment.confirmed" && { example: JSON.parse(EVENT_BODY) }),
        },
      },
    },
    responses: {
      "2XX": { description: "Received. Any other answer, or none within 10 s, is tried again." },
    },
  };
}
