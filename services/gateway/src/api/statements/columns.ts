// The columns of a statement: those of a day's, and others by choice.
import type { Movement } from "@pay/proto";
import { toAmount, toChainId, toDecimal } from "@pay/values";
import { z } from "zod";
import { ADDRESS, PAY_ID, TREASURY, TX_HASH } from "../example-values.ts";
import { buildRule, countCharacters } from "../field-rules.ts";
import * as shown from "../field-values.ts";
import {
  buildShape,
  listNames,
  type MessageField,
  type MessageFields,
} from "../response-fields.ts";
import type { Cell } from "./statement-format.ts";

/** What a movement belongs to. */
export interface Owned {
  type: "payment" | "refund" | "settlement";
  paymentId: string | null;
  orderId: string | null;
  displayAmount?: string | undefined;
  displayCurrency?: string | undefined;
  metadataJson?: string | undefined;
}

export interface StatementRow extends Owned {
  movement: Movement;
}

const FIELDS = {
  recordedAt: {
    schema: shown.time(
      "Time at which the transfer was allocated; it decides the day of the statement.",
    ),
    of: (r) => shown.isoTime(r.movement.recordedAt),
  },
  minedAt: {
    schema: shown.time("Time of its block."),
    of: (r) => shown.isoTime(r.movement.minedAt),
  },
  type: {
    schema: shown.choice(
      ["payment", "refund", "settlement"],
      "`payment`, `refund` or `settlement`.",
      "payment",
    ),
    of: (r) => r.type,
  },
  id: { schema: shown.id("pay"), of: (r) => r.movement.subjectId },
  paymentId: {
    schema: shown.stringOrNull("Payment of the movement; null for a settlement.", PAY_ID),
    of: (r) => r.paymentId,
  },
  orderId: {
    schema: shown.stringOrNull(
      "Your own reference of the payment; null without one.",
      "order-1001",
    ),
    of: (r) => r.orderId,
  },
  amount: {
    schema: shown.amount,
    of: ({ movement }) => toDecimal(toAmount(movement.baseAmount), movement.decimals),
  },
  baseAmount: {
    schema: shown.string(
      "Amount in the smallest unit of the currency, as an integer string.",
      "12500000",
    ),
    of: (r) => r.movement.baseAmount,
  },
  currency: { schema: shown.currency, of: (r) => r.movement.currency },
  chainId: { schema: shown.chainId, of: (r) => toChainId(r.movement.chainId) },
  txHash: { schema: shown.string("Transaction hash.", TX_HASH), of: (r) => r.movement.txHash },
  logIndex: {
    schema: shown.integerOrNull(
      "Index of the log within its transaction; null for the native coin.",
      3,
    ),
    of: (r) => r.movement.logIndex ?? null,
  },
  blockNumber: {
    schema: shown.integer("Block of the transaction.", 19_000_000),
    of: (r) => Number(r.movement.blockNumber),
  },
  fromAddress: {
    schema: shown.string("Wallet that the money left.", ADDRESS),
    of: (r) => r.movement.fromAddress,
  },
  toAddress: {
    schema: shown.string("Wallet that received the money.", TREASURY),
    of: (r) => r.movement.toAddress,
  },
  displayAmount: {
    schema: shown.stringOrNull(
      "What the checkout page showed beside the whole amount of the payment; null without it.",
      "12.50",
    ),
    of: (r) => r.displayAmount ?? null,
  },
  displayCurrency: {
    schema: shown.stringOrNull("Its currency code of ISO 4217; null without it.", "EUR"),
    of: (r) => r.displayCurrency ?? null,
  },
} satisfies MessageFields<StatementRow, "movement" | "metadataJson">;

const MORE = {
  symbol: {
    schema: shown.string("Symbol of the currency.", "USDC"),
    of: (r: StatementRow) => r.movement.symbol,
  },
};

const ALL = { ...FIELDS, ...MORE };

export const COLUMNS_OF_DAY: readonly (keyof typeof ALL)[] = listNames(FIELDS);

const NAMED: Readonly<Record<string, MessageField<StatementRow>>> = ALL;
const COLUMNS_MAX = 60;
const METADATA = "metadata.";
const KEY_LENGTH_MAX = 40;
const rule = buildRule(
  `be at most ${COLUMNS_MAX} of ${Object.keys(NAMED).join(", ")}, metadata.KEY, separated by commas`,
);

function isColumn(name: string): boolean {
  if (Object.hasOwn(NAMED, name)) return true;
  const key = name.slice(METADATA.length);
  return name.startsWith(METADATA) && key !== "" && countCharacters(key) <= KEY_LENGTH_MAX;
}

/** Names of columns, in the order of the file. */
export const columnsField = z
  .string(rule)
  .transform((text) => [...new Set(text.split(","))])
  .refine((names) => names.length <= COLUMNS_MAX && names.every(isColumn), rule)
  .meta({ openapi: { type: "array", items: { type: "string" } } })
  .optional()
  .describe(
    "Columns in their order, separated by commas; `symbol` and `metadata.KEY` of the payment are there by choice alone.",
  );

export const statementRow = buildShape("Statement", ALL, COLUMNS_OF_DAY, ["symbol"]);

/** The cells of a row in the order of the columns. */
export function toCells(columns: readonly string[], row: StatementRow): Record<string, Cell> {
  const metadata = columns.some((name) => !Object.hasOwn(NAMED, name)) ? readMetadata(row) : {};
  return Object.fromEntries(
    columns.map((name) => [
      name,
      Object.hasOwn(NAMED, name)
        ? (NAMED[name]?.of(row) as Cell)
        : toCell(metadata[name.slice(METADATA.length)]),
    ]),
  );
}

function readMetadata({ metadataJson }: StatementRow): Record<string, unknown> {
  // A key may be the name of something that every object has.
  return Object.assign(Object.create(null), metadataJson && JSON.parse(metadataJson));
}

function toCell(value: unknown): Cell {
  if (value === undefined || value === null) return null;
  return typeof value === "string" || typeof value === "number" ? value : JSON.stringify(value);
}
