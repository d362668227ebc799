import type { Side } from "./tenants.ts";

export const FIRST_PAGE = { page: 1, limit: 20, after: "" };

/** One rpc, as its owner calls it and as a stranger does. */
export interface Row {
  /** The request but for its tenant, on things of this side. */
  request(side: Side): object;
  /** What a stranger gets: refused as unknown or by its own address book, an empty list, something of its own, or nothing in this form. */
  stranger: "not_found" | "invalid_argument" | "empty" | "own" | object;
}
