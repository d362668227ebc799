// A payment as its shopper sees it, with all that a wallet needs and nothing that the merchant keeps: no metadata, no
// customer, no order.
import { createHash } from "node:crypto";
import {
  type Chain,
  type GetAuthorizationResponse,
  Mode,
  type Payment,
  type Refund,
} from "@pay/proto";
import {
  type Amount,
  EXTENSIONS_MAX,
  NEEDS,
  needsIn,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
  toDecimal,
  toReference,
  toReferenceSuffix,
  transferTransaction,
} from "@pay/values";
import { z } from "zod";
import type { ShopProfile } from "../../projects/shop-profile.ts";
import type { FollowedPayment } from "../../streams/streams.ts";
import { ADDRESS, TOKEN, TRANSFER_DATA } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { REFUND_STATUSES } from "../refunds/response.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";
import { authorizationStatus, renderAuthorization } from "./authorization.ts";
import { measureProgress } from "./confirmation-progress.ts";
import { computeDue, computeMissing } from "./due.ts";
import { getPayTo } from "./response.ts";
import { PAYMENT_STATUSES } from "./step-response.ts";

export interface Seen {
  payment: FollowedPayment;
  /** Undefined where the chain is no longer offered. */
  chain: Chain | undefined;
  shop: ShopProfile;
  publicUrl: string;
  /** Newest first. */
  refunds: readonly Refund[];
  /** The last authorization and the counter of the next one; undefined where the payer cannot sign for the payment. */
  authorization: GetAuthorizationResponse | undefined;
  /** Whether the transaction names the payment. */
  withReference: boolean;
  /** Null where the payer cannot sign for the payment. */
  x402Url: string | null;
  now: Date;
}

const PAID = ["confirmed", "refunded"];

function getSymbol({ payment, chain }: Pick<Seen, "payment" | "chain">): string {
  if (payment.currency === "native") return chain?.symbol ?? "";
  const contract = toCurrency(payment.currency);
  return chain?.tokens.find(({ address }) => toAddress(address) === contract)?.symbol ?? "";
}

function linkTransaction(txHash: string | undefined, chain: Chain | undefined): string | null {
  const explorer = chain?.blockExplorerUrl;
  return txHash === undefined || explorer === undefined
    ? null
    : `${explorer.replace(/\/$/, "")}/tx/${txHash}`;
}

const FIELDS = {
  id: { schema: shown.id("pay"), of: ({ payment }: Seen) => payment.id },
  status: {
    schema: shown.choice(PAYMENT_STATUSES, "Status; the guide explains each value."),
    of: ({ payment }: Seen) => payment.status,
  },
  isTest: {
    schema: shown.boolean("Whether the payment was created with a test key."),
    of: ({ payment }: Seen) => payment.mode === Mode.TEST,
  },
  amount: { schema: shown.amount, of: ({ payment }: Seen) => payment.amount },
  baseAmount: {
    schema: shown.string(
      "Amount in the smallest unit of the currency, as an integer string.",
      "12500000",
    ),
    of: ({ payment }: Seen) => payment.baseAmount,
  },
  currency: { schema: shown.currency, of: ({ payment }: Seen) => payment.currency },
  symbol: { schema: shown.string("Symbol of the currency.", "USDC"), of: getSymbol },
  decimals: {
    schema: shown.integer("Decimals of the currency.", 6),
    of: ({ payment }: Seen) => payment.decimals,
  },
  chainId: { schema: shown.chainId, of: ({ payment }: Seen) => toChainId(payment.chainId) },
  chainName: {
    schema: shown.string("Name of the chain.", "Ethereum"),
    of: ({ chain }: Seen) => chain?.name ?? "",
  },
  isTestnet: {
    schema: shown.boolean("Whether the chain is a test network."),
    of: ({ chain }: Seen) => chain?.isTestnet ?? false,
  },
  chainRpcUrl: {
    schema: shown.stringOrNull(
      "Public RPC URL, for wallets that do not have the chain yet.",
      "https://ethereum-rpc.example",
    ),
    of: ({ chain }: Seen) => chain?.rpcUrl ?? null,
  },
  chainSymbol: {
    schema: shown.string("Symbol of the chain's native coin.", "ETH"),
    of: ({ chain }: Seen) => chain?.symbol ?? "",
  },
  chainDecimals: {
    schema: shown.integer("Decimals of the chain's native coin.", 18),
    of: ({ chain }: Seen) => chain?.nativeDecimals ?? 18,
  },
  recipientAddress: {
    schema: shown.recipientAddress,
    of: ({ payment }: Seen) => payment.recipientAddress,
  },
  payTo: { schema: shown.payTo, of: ({ payment }: Seen) => getPayTo(payment) },
  description: {
    schema: shown.stringOrNull("Text that the customer reads.", "Two mugs"),
    of: ({ payment }: Seen) => payment.description ?? null,
  },
  expiresAt: {
    schema: shown.expiresAt,
    of: ({ payment }: Seen) => shown.isoTime(payment.expiresAt),
  },
  serverTime: { schema: shown.serverTime, of: ({ now }: Seen) => now.toISOString() },
  extensionsLeft: {
    schema: shown.integer("Number of times that the time limit can still be extended.", 10),
    of: ({ payment }: Seen) => EXTENSIONS_MAX - (payment.extensions ?? 0),
  },
  txHash: { schema: shown.txHash, of: ({ payment }: Seen) => payment.txHash ?? null },
  explorerTxUrl: {
    schema: shown.stringOrNull("Link to the transaction on a block explorer; null without one."),
    of: ({ payment, chain }: Seen) => linkTransaction(payment.txHash, chain),
  },
  receivedAmount: {
    schema: shown.stringOrNull(
      "Amount that has arrived for the payment, in time and late; null before any.",
    ),
    of: ({ payment: { receivedBaseAmount, decimals } }: Seen) =>
      receivedBaseAmount === undefined ? null : toDecimal(toAmount(receivedBaseAmount), decimals),
  },
  missingAmount: {
    schema: shown.stringOrNull(
      "Amount that has not arrived, once a part has; null before any, and where enough has arrived.",
    ),
    of: ({ payment }: Seen) => {
      const missing = computeMissing(payment);
      const isPart = payment.receivedBaseAmount !== undefined && missing > 0n;
      return isPart && !PAID.includes(payment.status)
        ? toDecimal(toAmount(missing), payment.decimals)
        : null;
    },
  },
  confirmations: {
    schema: shown.integerOrNull(
      "Blocks from the last transfer to the head of the chain, both counted, while the payment is processing; null before a block and afterwards.",
      4,
    ),
    of: ({ payment, chain }: Seen) => measureProgress(payment, chain).confirmations,
  },
  confirmationsNeeded: {
    schema: shown.integerOrNull(
      "Confirmations that make the payment final; null where the chain's tag `safe` or `finalized` decides.",
      12,
    ),
    of: ({ payment, chain }: Seen) => measureProgress(payment, chain).confirmationsNeeded,
  },
  estimatedSeconds: {
    schema: shown.integerOrNull(
      "Estimated seconds until the payment is final, while it is processing and needs nothing; null otherwise, and where no estimate is possible.",
      96,
    ),
    of: ({ payment, chain }: Seen) => measureProgress(payment, chain).estimatedSeconds,
  },
  arrived: {
    schema: z
      .array(
        z.strictObject({
          amount: shown.amount,
          at: shown.time("Time of its block."),
        }),
      )
      .meta({
        description:
          "Transfers that may be meant for this payment or for another one: the paying wallet signs, or you assign them.",
        example: [],
      }),
    of: ({ payment: { arrived, decimals } }: Seen) =>
      arrived.map(({ baseAmount, at }) => ({
        amount: toDecimal(toAmount(baseAmount), decimals),
        at: shown.isoTime(at),
      })),
  },
  refunds: {
    schema: z
      .array(
        z.strictObject({
          amount: shown.amount,
          txHash: shown.txHash,
          explorerTxUrl: shown.stringOrNull(
            "Link to the transaction on a block explorer; null without one.",
          ),
          at: shown.time("Time of its completion, or of its creation before."),
          status: shown.choice(REFUND_STATUSES, "Status of the refund."),
        }),
      )
      .meta({
        description: "Refunds of the payment, newest first, once one has been completed.",
        example: [],
      }),
    of: ({ refunds, chain }: Seen) =>
      refunds.map(({ amount, txHash: submitted, completedAt, createdAt, status }) => {
        const txHash = completedAt && submitted;
        return {
          amount,
          txHash: txHash ?? null,
          explorerTxUrl: linkTransaction(txHash, chain),
          at: shown.isoTime(completedAt ?? createdAt),
          status,
        };
      }),
  },
  failureCode: {
    schema: shown.failureCode,
    of: ({ payment }: Seen) => payment.failureCode ?? null,
  },
  needs: {
    schema: shown.choiceOrNull(
      NEEDS,
      "`payer_signature`: the paying wallet must sign; `review`: you must review the transaction; null: nothing.",
    ),
    of: ({ payment }: Seen) => needsIn(payment.needs) ?? null,
  },
  payerMessage: {
    schema: shown.stringOrNull(
      "Text for the payer's wallet to sign as `signature`; null once the payment is confirmed.",
    ),
    of: (seen: Seen) => (PAID.includes(seen.payment.status) ? null : buildPayerMessage(seen)),
  },
  qrMode: {
    schema: shown.boolean("Whether the checkout page shows the QR code first.", true),
    of: ({ payment }: Seen) => payment.qrMode,
  },
  paymentUri: {
    schema: shown.stringOrNull(
      "Content of the QR code (ERC-681) for what is still to pay; null once nothing can be paid any more.",
      `ethereum:${TOKEN}@1/transfer?address=${ADDRESS}&uint256=12500000`,
    ),
    of: (seen: Seen) => {
      const due = computeDue(seen);
      return due === undefined ? null : buildPaymentUri(seen.payment, due);
    },
  },
  dueBaseAmount: {
    schema: shown.stringOrNull(
      "Amount that is still to pay, in the smallest unit; null once nothing can be paid any more.",
      "12500000",
    ),
    of: (seen: Seen) => {
      const due = computeDue(seen);
      return due === undefined ? null : `${due}`;
    },
  },
  transaction: {
    schema: z
      .strictObject({
        to: shown.string("Recipient of the transaction or call.", TOKEN),
        value: shown.string("Amount of the native coin, in hex.", "0x0"),
        data: shown.string(
          "Call data, in hex. The last 44 bytes name the payment, unless they are left off.",
          TRANSFER_DATA,
        ),
      })
      .nullable()
      .describe("Unsigned transaction for the wallet; null once nothing can be paid any more."),
    of: (seen: Seen) => {
      const due = computeDue(seen);
      const { id, currency } = seen.payment;
      if (due === undefined) return null;
      const to = getPayTo(seen.payment);
      const transfer = transferTransaction({ currency, to, baseAmount: due });
      const suffix = seen.withReference ? toReferenceSuffix(toReference(id)) : "";
      return { ...transfer, data: transfer.data + suffix };
    },
  },
  authorization: {
    schema: authorizationStatus,
    of: ({ authorization, ...seen }: Seen) =>
      authorization === undefined ? null : renderAuthorization(seen, authorization),
  },
  x402Url: {
    schema: shown.stringOrNull(
      "URL at which clients of x402 pay, with a ticket in it; null where `authorization` is not possible.",
    ),
    of: ({ x402Url }: Seen) => x402Url,
  },
  returnUrl: {
    schema: shown.stringOrNull(
      "Link of the checkout page back to your shop, shown when the payment has ended.",
      "https://shop.example/orders/7",
    ),
    of: ({ payment }: Seen) => payment.returnUrl ?? null,
  },
  cancelUrl: {
    schema: shown.stringOrNull(
      "Link of the checkout page back to your shop, shown while nothing is paid.",
      "https://shop.example/cart",
    ),
    of: ({ payment }: Seen) => payment.cancelUrl ?? null,
  },
  displayAmount: {
    schema: shown.displayAmount,
    of: ({ payment }: Seen) => shown.toDisplayAmount(payment),
  },
  locale: {
    schema: shown.stringOrNull("Language of the checkout page.", "en"),
    of: ({ payment }: Seen) => payment.locale ?? null,
  },
  shop: {
    schema: z
      .strictObject({
        displayName: shown.string("Name of the shop.", "Mug shop"),
        primaryColor: shown.stringOrNull("Color of the shop, #RRGGBB.", "#1A73E8"),
        theme: shown.choiceOrNull(
          ["light", "dark"],
          "`light` or `dark`; null for the preference of the customer's device.",
        ),
        supportUrl: shown.stringOrNull(
          "URL of the shop's support page.",
          "https://shop.example/help",
        ),
        logoUrl: shown.stringOrNull("URL of the shop's logo."),
      })
      .describe("Your shop as the customer sees it."),
    of: ({ shop }: Seen) => shop,
  },
} satisfies MessageFields<Seen, keyof Seen>;

const NAMES = listNames(FIELDS);

export const paymentStatus = buildShape("PaymentStatus", FIELDS, NAMES);

export function renderStatus(seen: Seen) {
  return pick(FIELDS, NAMES, seen);
}

/** The same for the same status, whenever it is read. */
export function statusTag({ serverTime, ...rest }: Record<string, unknown>): string {
  return `"${createHash("sha256").update(JSON.stringify(rest)).digest("base64url").slice(0, 22)}"`;
}

/**
 * The text that tells a wallet's owner who asks for a signature, and for which payment. It is built again when the
 * signature comes, so all of it stays the same for a payment. Null where the installation has no public host or no
 * longer offers the currency.
 */
export function buildPayerMessage({
  payment,
  chain,
  publicUrl,
}: Pick<Seen, "payment" | "chain" | "publicUrl">): string | null {
  const symbol = getSymbol({ payment, chain });
  if (chain === undefined || symbol === "" || !URL.canParse(publicUrl)) return null;
  return [
    `${new URL(publicUrl).host} asks you to confirm that this wallet pays for your order.`,
    "",
    "Sign only on the page where you placed the order. Signing moves no money.",
    "",
    `Amount: ${payment.amount} ${symbol}`,
    `Network: ${chain.name} (chain ID ${chain.chainId})`,
    `Recipient: ${payment.recipientAddress}`,
    `Payment ID: ${payment.id}`,
    `Created At: ${shown.isoTime(payment.createdAt)}`,
  ].join("\n");
}

const NATIVE = "native";

type Part = Pick<Payment, "currency" | "chainId" | "recipientAddress" | "payTo">;

/** The text of a payment's QR code, by ERC-681: all that a wallet needs for the transfer, in integers only. */
function buildPaymentUri(payment: Part, baseAmount: Amount): string {
  const { currency, chainId } = payment;
  const to = getPayTo(payment);
  if (currency === NATIVE) return `ethereum:${to}@${chainId}?value=${baseAmount}`;
  return `ethereum:${currency}@${chainId}/transfer?address=${to}&uint256=${baseAmount}`;
}
