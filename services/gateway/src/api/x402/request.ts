import { z } from "zod";
import { buildRule } from "../field-rules.ts";
import * as field from "../fields.ts";
import { payerAuthorization } from "../payments/authorize-payment.ts";

const word = buildRule("be a string of 1 to 64 characters");
function text(description: string, example: string) {
  return z.string(word).min(1, word).max(64, word).meta({ description, example });
}

const digits = buildRule("be a string of digits");
const network = () => text("Chain, by CAIP-2.", "eip155:1");
const scheme = () => text("`exact` is the only one.", "exact");
const version = () => field.integer(1, 99).meta({ description: "2.", example: 2 });

/** As the clients and servers of x402 send it, with more fields than are read here. */
export const facilitation = z.object({
  x402Version: version(),
  paymentPayload: z
    .object({
      x402Version: version(),
      accepted: z
        .object({ scheme: scheme(), network: network() })
        .describe("What the payer has chosen."),
      payload: payerAuthorization.describe("What the payer has signed."),
    })
    .describe("The payload of `PAYMENT-SIGNATURE`."),
  paymentRequirements: z
    .object({
      scheme: scheme(),
      network: network(),
      amount: z
        .string(digits)
        .regex(/^[0-9]{1,78}$/, digits)
        .meta({ description: "Amount in the smallest unit.", example: "12500000" }),
      asset: field.address().describe("Contract of the token."),
      payTo: field
        .address()
        .describe("Your wallet: a default wallet, or the recipient of an earlier payment."),
    })
    .describe("What your server asks for."),
});

export const settlement = facilitation.extend({
  orderId: field
    .reference(128)
    .optional()
    .describe("Your own reference of what is sold; the authorization pays for no other one."),
  description: field.text(500).optional().describe("Text that the customer reads."),
});

export type Facilitation = z.output<typeof facilitation>;
export type SettlementOrder = z.output<typeof settlement>;
