// Written by `npm run sdk` from the OpenAPI document; a test compares the two.

import type { Person } from "./needs.ts";

export interface BookMonthList {
  /** Months, the newest first. */
  data: Array<BookMonth>;
}

export interface BookList {
  /** Month in UTC. */
  month: string;
  /** `running` until an hour after its end; `open` while a difference has no note; `done`. */
  state: "running" | "open" | "done";
  /** Records up to then are in the sums; null before the first. */
  recordedUntil: string | null;
  /** A row for each wallet and currency. */
  data: Array<Book>;
}

export interface BookMonth {
  /** Month in UTC. */
  month: string;
  /** `running` until an hour after its end; `open` while a difference has no note; `done`. */
  state: "running" | "open" | "done";
  /** Rows that differ from the chain, without those with a note. */
  differences: number;
}

export interface Book {
  /** Id; its prefix names the type of the resource. */
  id: string;
  /** Chain id. */
  chainId: number;
  /** Your wallet. */
  wallet: string;
  /** `native` for the chain's coin, or the contract address of a listed token. */
  currency: string;
  /** Symbol of the currency. */
  symbol: string;
  /** Where the wallet was not known when the month began: since when the figures count; else null. */
  watchedSince: string | null;
  /** Balance at the beginning; null where none could be read, as a decimal string. */
  opening: string | null;
  /** Recorded in the month for payments, as a decimal string. */
  payments: string;
  /** Recorded in the month for refunds, as a decimal string. */
  refunds: string;
  /** Recorded in the month for settlements, as a decimal string. */
  settlements: string;
  /** Network fees that the wallet paid, as a decimal string. */
  fees: string;
  /** What else came, less what else left, as a decimal string. */
  other: string;
  /** How many transfers that are. */
  otherTransfers: number;
  /** Mined in the month and recorded in another one, less the reverse, as a decimal string. */
  carried: string;
  /** What all of these lead to; null without an opening, as a decimal string. */
  closing: string | null;
  /** What the chain says at the block; null where none could be read, as a decimal string. */
  chainBalance: string | null;
  /** Last block of the month that was read. */
  blockNumber: number;
  /** `chainBalance` less `closing`; null without one of them, as a decimal string. */
  difference: string | null;
  /** Note of a person; null without one. */
  note: string | null;
  /** Who deals with it; null for nobody. */
  takenBy: Person | null;
  /** Time at which a person closed the difference; null before. */
  doneAt: string | null;
}
