// The money at a payment's deposit address can go to its recipient alone, whoever sends the transaction.
import { Failure } from "@pay/failures";
import {
  type ChainId,
  DEPOSIT_FACTORY,
  sweepTransaction,
  toAddress,
  toChainId,
  toCurrency,
  toDepositSalt,
} from "@pay/values";
import { z } from "zod";
import { route } from "../../pipeline/route.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";

interface Sweep {
  chainId: ChainId;
  to: string;
  value: string;
  data: string;
  gas: string;
}

export const sweepPaymentRoute = route({
  auth: "secret",
  tag: "Payments",
  limit: "standard",
  id: { prefix: "pay", noun: "Payment" },
  scope: "payments:read",
  summary: "Read the transaction that moves the money of a deposit address to your wallet",
  query: z.object({
    currency: field.currency().optional().describe("Currency to move; otherwise the payment's."),
  }),
  response: z
    .strictObject({
      chainId: shown.chainId,
      to: shown.string("Contract that moves the money. Any wallet may call it.", DEPOSIT_FACTORY),
      value: shown.string("Amount of the native coin, in hex.", "0x0"),
      data: shown.string("Call data, in hex.", "0xfb1215bd"),
      gas: shown.string("Gas limit, in hex. An estimate may be too low.", "0x53020"),
    })
    .meta({ id: "PaymentSweep" }),
  success: 200,
  failures: ["deposit_address_missing"],
  handle: async ({ params, query, services }): Promise<Sweep> => {
    const payment = await services.payments.getPayment({ id: params.id });
    if (payment.payTo === undefined) {
      throw new Failure("deposit_address_missing", "Payment has no deposit address");
    }
    const { gas, ...transaction } = sweepTransaction({
      currency: toCurrency(query.currency ?? payment.currency),
      recipient: toAddress(payment.recipientAddress),
      salts: [toDepositSalt(payment.id)],
    });
    return {
      chainId: toChainId(payment.chainId),
      ...transaction,
      gas: `0x${gas.toString(16)}`,
    };
  },
});
