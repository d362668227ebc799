import type { Transfer } from "@pay/proto";
import { ATTRIBUTION_RULES, toAmount, toDecimal } from "@pay/values";
import { ADDRESS, TREASURY, TX_HASH } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { buildShape, listNames, pick } from "../response-fields.ts";

/** A transfer in the currency of what it counts for. */
interface Counted {
  transfer: Transfer;
  decimals: number;
}

const FIELDS = {
  txHash: {
    schema: shown.string("Transaction hash.", TX_HASH),
    of: ({ transfer }: Counted) => transfer.txHash,
  },
  // Among the logs of its own transaction: the place in a block changes when the chain is reorganised.
  logIndex: {
    schema: shown.integerOrNull(
      "Index of the log within its transaction; null for the native coin.",
      3,
    ),
    of: ({ transfer }: Counted) => transfer.logIndex ?? null,
  },
  from: {
    schema: shown.string("Wallet that the money left.", TREASURY),
    of: ({ transfer }: Counted) => transfer.fromAddress,
  },
  to: {
    schema: shown.string("Wallet that received the money.", ADDRESS),
    of: ({ transfer }: Counted) => transfer.toAddress,
  },
  amount: {
    schema: shown.amount,
    of: ({ transfer, decimals }: Counted) => toDecimal(toAmount(transfer.baseAmount), decimals),
  },
  blockNumber: {
    schema: shown.integer("Block of the transaction.", 21_000_000),
    of: ({ transfer }: Counted) => Number(transfer.blockNumber),
  },
  minedAt: {
    schema: shown.time("Time of its block."),
    of: ({ transfer }: Counted) => shown.isoTime(transfer.minedAt),
  },
  confirmedAt: {
    schema: shown.timeOrNull("Time at which the transfer was proven; null before."),
    of: ({ transfer }: Counted) => shown.isoTime(transfer.confirmedAt),
  },
};

const ATTRIBUTION = {
  txHash: FIELDS.txHash,
  logIndex: FIELDS.logIndex,
  amount: FIELDS.amount,
  rule: {
    schema: shown.choice(
      ATTRIBUTION_RULES,
      "`reference`: its call names it; `address`: it was sent to its deposit address; `merchant`: you assigned it; `signature`: its wallet signed; `lone`: it fits no other payment; `group`: as many transfers came as payments are due.",
      "lone",
    ),
    of: ({ transfer }: Counted) => transfer.rule,
  },
};

const NAMES = listNames(FIELDS);
const ATTRIBUTION_NAMES = listNames(ATTRIBUTION);

export const transferShape = buildShape("PaymentTransfers", FIELDS, NAMES);
export const attributionShape = buildShape("PaymentAttribution", ATTRIBUTION, ATTRIBUTION_NAMES);
export function renderTransfer(transfer: Transfer, decimals: number) {
  return pick(FIELDS, NAMES, { transfer, decimals });
}

export function renderAttribution(transfer: Transfer, decimals: number) {
  return pick(ATTRIBUTION, ATTRIBUTION_NAMES, { transfer, decimals });
}
