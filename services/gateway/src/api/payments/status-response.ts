// A payment as its shopper sees it, with all that a wallet needs and nothing that the merchant keeps: no metadata, no
// customer, no order.
import { createHash } from "node:crypto";
import { type Chain, Mode } from "@pay/proto";
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
  transferTransaction,
} from "@pay/values";
import { z } from "zod";
import type { Shop } from "../../projects/shop.ts";
import type { FollowedPayment } from "../../streams/streams.ts";
import { isoTime, isoTimeShape, textOrNull } from "../field-values.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";
import { paymentUri } from "./payment-uri.ts";
import { PAYMENT_STATUSES } from "./statuses.ts";

export interface Seen {
  payment: FollowedPayment;
  /** Undefined where the chain is no longer offered. */
  chain: Chain | undefined;
  shop: Shop;
  now: Date;
}

const text = z.string();

/** What is still to be paid, in base units: of an underpaid payment the rest, else the whole. */
function computeDue({
  baseAmount,
  failureCode,
  receivedBaseAmount = "0",
}: FollowedPayment): Amount {
  const whole = toAmount(baseAmount);
  const received = toAmount(receivedBaseAmount);
  return failureCode === "underpaid" && received < whole ? toAmount(whole - received) : whole;
}

function getSymbol({ payment, chain }: Seen): string {
  if (payment.currency === "native") return chain?.symbol ?? "";
  const contract = toCurrency(payment.currency);
  return chain?.tokens.find(({ address }) => toAddress(address) === contract)?.symbol ?? "";
}

function getExplorer({ payment, chain }: Seen): string | null {
  const { txHash } = payment;
  const explorer = chain?.blockExplorerUrl;
  return txHash === undefined || explorer === undefined
    ? null
    : `${explorer.replace(/\/$/, "")}/tx/${txHash}`;
}

const FIELDS = {
  id: { schema: text, of: ({ payment }: Seen) => payment.id },
  status: { schema: z.enum(PAYMENT_STATUSES), of: ({ payment }: Seen) => payment.status },
  isTest: { schema: z.boolean(), of: ({ payment }: Seen) => payment.mode === Mode.TEST },
  amount: { schema: text, of: ({ payment }: Seen) => payment.amount },
  baseAmount: { schema: text, of: ({ payment }: Seen) => payment.baseAmount },
  currency: { schema: text, of: ({ payment }: Seen) => payment.currency },
  symbol: { schema: text, of: getSymbol },
  decimals: { schema: z.int(), of: ({ payment }: Seen) => payment.decimals },
  chainId: { schema: z.int(), of: ({ payment }: Seen) => toChainId(payment.chainId) },
  chainName: { schema: text, of: ({ chain }: Seen) => chain?.name ?? "" },
  isTestnet: { schema: z.boolean(), of: ({ chain }: Seen) => chain?.isTestnet ?? false },
  chainRpcUrl: { schema: textOrNull, of: ({ chain }: Seen) => chain?.rpcUrl ?? null },
  chainSymbol: { schema: text, of: ({ chain }: Seen) => chain?.symbol ?? "" },
  chainDecimals: { schema: z.int(), of: ({ chain }: Seen) => chain?.nativeDecimals ?? 18 },
  recipientAddress: { schema: text, of: ({ payment }: Seen) => payment.recipientAddress },
  description: { schema: textOrNull, of: ({ payment }: Seen) => payment.description ?? null },
  expiresAt: { schema: isoTimeShape, of: ({ payment }: Seen) => isoTime(payment.expiresAt) },
  serverTime: { schema: isoTimeShape, of: ({ now }: Seen) => now.toISOString() },
  extensionsLeft: {
    schema: z.int(),
    of: ({ payment }: Seen) => EXTENSIONS_MAX - (payment.extensions ?? 0),
  },
  txHash: { schema: textOrNull, of: ({ payment }: Seen) => payment.txHash ?? null },
  explorerTxUrl: { schema: textOrNull, of: getExplorer },
  receivedAmount: {
    schema: textOrNull,
    of: ({ payment: { receivedBaseAmount, decimals } }: Seen) =>
      receivedBaseAmount === undefined ? null : toDecimal(toAmount(receivedBaseAmount), decimals),
  },
  missingAmount: {
    schema: textOrNull,
    of: ({ payment }: Seen) =>
      payment.failureCode === "underpaid" ? toDecimal(computeDue(payment), payment.decimals) : null,
  },
  failureCode: { schema: textOrNull, of: ({ payment }: Seen) => payment.failureCode ?? null },
  needs: {
    schema: z.enum(NEEDS).nullable(),
    of: ({ payment }: Seen) => needsIn(payment.needs) ?? null,
  },
  qrMode: { schema: z.boolean(), of: ({ payment }: Seen) => payment.qrMode },
  paymentUri: { schema: text, of: ({ payment }: Seen) => paymentUri(payment, computeDue(payment)) },
  transaction: {
    schema: z.strictObject({ to: text, value: text, data: text }),
    of: ({ payment }: Seen) =>
      transferTransaction({
        currency: payment.currency,
        to: payment.recipientAddress,
        baseAmount: computeDue(payment),
      }),
  },
  returnUrl: { schema: textOrNull, of: ({ payment }: Seen) => payment.returnUrl ?? null },
  locale: { schema: textOrNull, of: ({ payment }: Seen) => payment.locale ?? null },
  shop: {
    schema: z.strictObject({
      displayName: text,
      primaryColor: textOrNull,
      theme: z.enum(["light", "dark"]).nullable(),
      supportUrl: textOrNull,
      logoUrl: textOrNull,
    }),
    of: ({ shop }: Seen) => shop,
  },
} satisfies MessageFields<Seen, keyof Seen>;

const NAMES = listNames(FIELDS);

export const paymentStatus = buildShape(FIELDS, NAMES);

export function renderStatus(seen: Seen) {
  return pick(FIELDS, NAMES, seen);
}

/** The same for the same status, whenever it is read. */
export function statusTag({ serverTime, ...rest }: Record<string, unknown>): string {
  return `"${createHash("sha256").update(JSON.stringify(rest)).digest("base64url").slice(0, 22)}"`;
}
