// The money at a payment's deposit address can go to its recipient alone, whoever sends the transaction.
import { Failure } from "@pay/failures";
import type { Payment } from "@pay/proto";
import {
  type ChainId,
  checksumAddress,
  DEPOSIT_FACTORY,
  sweepTransaction,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toDecimal,
  toDepositSalt,
} from "@pay/values";
import { z } from "zod";
import { forwardOnce } from "../../idempotency/forwarded-call.ts";
import { type Call, route } from "../../pipeline/route.ts";
import { ADDRESS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import * as field from "../fields.ts";

interface Sweep {
  chainId: ChainId;
  to: string;
  value: string;
  data: string;
  gas: string;
}

const deposits = {
  auth: "secret",
  tag: "Payments",
  limit: "standard",
  id: { prefix: "pay", noun: "Payment" },
} as const;

function requireDepositAddress({ payTo }: Payment): string {
  if (payTo !== undefined) return payTo;
  throw new Failure("deposit_address_missing", "Payment has no deposit address");
}

export const sweepPaymentRoute = route({
  ...deposits,
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
    requireDepositAddress(payment);
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

export const recheckPaymentRoute = route({
  ...deposits,
  scope: "payments:write",
  summary: "Read what is at a deposit address now",
  response: z
    .strictObject({
      chainId: shown.chainId,
      payTo: shown.string("Deposit address of the payment.", ADDRESS),
      deposits: z
        .array(z.strictObject({ currency: shown.currency, amount: shown.amount }))
        .describe("What is there and not swept, however it came."),
    })
    .meta({ id: "PaymentRecheck" }),
  success: 200,
  failures: ["deposit_address_missing"],
  handle: (call, deps) => forwardOnce(deps, call, { write: () => recheckPayment(call) }),
});

async function recheckPayment({ params, services }: Pick<Call, "params" | "services">) {
  const payment = await services.payments.getPayment({ id: params.id });
  const address = requireDepositAddress(payment);
  const { chainId } = payment;
  const { deposits } = await services.chains.recheckDeposit({ chainId, address });
  return {
    chainId: toChainId(chainId),
    payTo: checksumAddress(toAddress(address)),
    deposits: deposits.map(({ currency, baseAmount, decimals }) => ({
      currency: currency === "native" ? currency : checksumAddress(toAddress(currency)),
      amount: toDecimal(toAmount(baseAmount), decimals),
    })),
  };
}
