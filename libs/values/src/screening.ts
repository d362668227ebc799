// Which wallets a project does not take money from without looking at it: the settings, and what came of them.
import type { Address } from "./address.ts";

/** Whether a payment is reviewed where nothing has answered in time. */
export const ON_FAIL = ["review", "allow"] as const;
export type OnFail = (typeof ON_FAIL)[number];

export const SCREENING_LIST_MAX = 1_000;

/** Exactly one of the first three is there. */
export interface ScreeningPolicy {
  /** A contract with `isSanctioned(address)`, on the chain of each payment. */
  oracle?: Address | undefined;
  list?: readonly Address[] | undefined;
  /** Of the merchant's server, which is asked. */
  url?: string | undefined;
  onFail: OnFail;
}

/** What named a wallet; unanswered: nothing has answered in time. */
export const SCREENING_CAUSES = ["oracle", "list", "url", "unanswered"] as const;
export type ScreeningCause = (typeof SCREENING_CAUSES)[number];
