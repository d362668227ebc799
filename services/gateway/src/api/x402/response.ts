import { z } from "zod";
import { ADDRESS, IDS, TOKEN, TX_HASH } from "../example-values.ts";
import * as shown from "../field-values.ts";

export const verified = z
  .strictObject({
    isValid: shown.boolean("Whether the payment would succeed now.", true),
    invalidReason: shown.stringOrNull("Why not, by the error names of x402."),
    payer: shown.string("Wallet that pays.", ADDRESS),
  })
  .meta({ id: "X402Verification" });

export const settled = z
  .strictObject({
    success: shown.boolean("Whether the transfer is in a block.", true),
    errorReason: shown.stringOrNull("Why not, by the error names of x402."),
    payer: shown.string("Wallet that pays.", ADDRESS),
    transaction: shown.string("Hash of the transaction; empty without one.", TX_HASH),
    network: shown.string("Chain, by CAIP-2.", "eip155:1"),
    paymentId: shown.stringOrNull("Id of the payment; null unless it succeeded.", IDS.pay),
  })
  .meta({ id: "X402Settlement" });

const supportedToken = z.strictObject({
  address: shown.string("Contract address of the token.", TOKEN),
  decimals: shown.integer("Decimals of the token.", 6),
  name: shown.string("Name of the token's domain (EIP-712).", "USD Coin"),
  version: shown.string("Version of the token's domain (EIP-712).", "2"),
});

export const supported = z
  .strictObject({
    kinds: z
      .array(
        z.strictObject({
          x402Version: shown.integer("Version of x402.", 2),
          scheme: shown.string("Scheme of payment.", "exact"),
          network: shown.string("Chain, by CAIP-2.", "eip155:1"),
          extra: z
            .strictObject({
              tokens: z.array(supportedToken).describe("Tokens whose payers can sign."),
            })
            .describe("What is known of the chain."),
        }),
      )
      .describe("One for each chain on which the operator pays the gas."),
    extensions: shown.strings("Extensions of x402; none."),
    signers: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: "Wallets that send, by chain.", example: { "eip155:1": [ADDRESS] } }),
  })
  .meta({ id: "X402Support" });

/** unspent: nothing has moved, and may still move. expired: nothing can move any more. */
const SETTLEMENT_STATES = ["spent", "unspent", "cancelled", "expired"] as const;
export type SettlementState = (typeof SETTLEMENT_STATES)[number];

export const settlementState = z
  .strictObject({
    state: shown.choice(
      SETTLEMENT_STATES,
      "`spent`: the money has moved; `unspent`: it may still; `cancelled`, `expired`: it never will.",
      "spent",
    ),
    transaction: shown.stringOrNull(
      "Transaction that spends it; null before one is sent.",
      TX_HASH,
    ),
    paymentId: shown.id("pay"),
  })
  .meta({ id: "X402SettlementState" });
