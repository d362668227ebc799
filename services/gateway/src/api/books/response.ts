import type { Book } from "@pay/proto";
import { toChainId, toSignedDecimal } from "@pay/values";
import { z } from "zod";
import { type NeedState, UNTOUCHED } from "../../needs/states.ts";
import { ADDRESS } from "../example-values.ts";
import * as shown from "../field-values.ts";
import { type People, personOrNull, renderPerson } from "../people.ts";
import { buildShape, listNames, type MessageFields, pick } from "../response-fields.ts";

export const MONTH_STATES = ["running", "open", "done"] as const;

export type MonthState = (typeof MONTH_STATES)[number];

const monthField = shown.string("Month in UTC.", "2026-01");
const stateField = shown.choice(
  MONTH_STATES,
  "`running` until an hour after its end; `open` while a difference has no note; `done`.",
  "done",
);

const monthItem = z
  .strictObject({
    month: monthField,
    state: stateField,
    differences: shown.integer("Rows that differ from the chain, without those with a note.", 0),
  })
  .meta({ id: "BookMonth" });

export const monthList = z
  .strictObject({ data: z.array(monthItem).describe("Months, the newest first.") })
  .meta({ id: "BookMonthList" });

export interface NotedBook extends People {
  book: Book;
  state: NeedState | undefined;
}

function sum(description: string, example = "12.50") {
  return shown.string(`${description}, as a decimal string.`, example);
}

function sumOrNull(description: string, example: string) {
  return shown.stringOrNull(`${description}, as a decimal string.`, example);
}

function decimal({ decimals }: Book, base: string): string {
  return toSignedDecimal(BigInt(base), decimals);
}

function decimalOrNull(book: Book, base: string | undefined): string | null {
  return base === undefined ? null : decimal(book, base);
}

const FIELDS = {
  id: { schema: shown.id("book"), of: ({ book }) => book.id },
  chainId: { schema: shown.chainId, of: ({ book }) => toChainId(book.chainId) },
  wallet: { schema: shown.string("Your wallet.", ADDRESS), of: ({ book }) => book.wallet },
  currency: { schema: shown.currency, of: ({ book }) => book.currency },
  symbol: {
    schema: shown.string("Symbol of the currency.", "USDC"),
    of: ({ book }) => book.symbol,
  },
  watchedSince: {
    schema: shown.timeOrNull(
      "Where the wallet was not known when the month began: since when the figures count; else null.",
    ),
    of: ({ book }) => shown.isoTime(book.watchedSince),
  },
  opening: {
    schema: sumOrNull("Balance at the beginning; null where none could be read", "100"),
    of: ({ book }) => decimalOrNull(book, book.opening),
  },
  payments: {
    schema: sum("Recorded in the month for payments"),
    of: ({ book }) => decimal(book, book.payments),
  },
  refunds: {
    schema: sum("Recorded in the month for refunds", "0"),
    of: ({ book }) => decimal(book, book.refunds),
  },
  settlements: {
    schema: sum("Recorded in the month for settlements", "0"),
    of: ({ book }) => decimal(book, book.settlements),
  },
  fees: {
    schema: sum("Network fees that the wallet paid", "0"),
    of: ({ book }) => decimal(book, book.fees),
  },
  other: {
    schema: sum("What else came, less what else left", "0"),
    of: ({ book }) => decimal(book, book.other),
  },
  otherTransfers: {
    schema: shown.integer("How many transfers that are.", 0),
    of: ({ book }) => book.otherTransfers,
  },
  carried: {
    schema: sum("Mined in the month and recorded in another one, less the reverse", "0"),
    of: ({ book }) => decimal(book, book.carried),
  },
  closing: {
    schema: sumOrNull("What all of these lead to; null without an opening", "112.50"),
    of: ({ book }) => decimalOrNull(book, book.closing),
  },
  chainBalance: {
    schema: sumOrNull("What the chain says at the block; null where none could be read", "112.50"),
    of: ({ book }) => decimalOrNull(book, book.balance),
  },
  blockNumber: {
    schema: shown.integer("Last block of the month that was read.", 19_000_000),
    of: ({ book }) => Number(book.block),
  },
  difference: {
    schema: sumOrNull("`chainBalance` less `closing`; null without one of them", "0"),
    of: ({ book }) => decimalOrNull(book, book.difference),
  },
  note: {
    schema: shown.stringOrNull("Note of a person; null without one."),
    of: ({ state = UNTOUCHED }) => state.note,
  },
  takenBy: {
    schema: personOrNull("Who deals with it; null for nobody."),
    of: ({ state = UNTOUCHED, ...people }) => renderPerson(state.takenBy, people),
  },
  doneAt: {
    schema: shown.timeOrNull("Time at which a person closed the difference; null before."),
    of: ({ state = UNTOUCHED }) => shown.storedTime(state.doneAt),
  },
} satisfies MessageFields<NotedBook, "book" | "state" | "names">;

const NAMES = listNames(FIELDS);

const bookRow = buildShape("Book", FIELDS, NAMES);

export const bookShape = z
  .strictObject({
    month: monthField,
    state: stateField,
    recordedUntil: shown.timeOrNull("Records up to then are in the sums; null before the first."),
    data: z.array(bookRow).describe("A row for each wallet and currency."),
  })
  .meta({ id: "BookList" });

export function renderBook(book: NotedBook) {
  return pick(FIELDS, NAMES, book);
}
