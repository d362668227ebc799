// What becomes of a payer's authorization (EIP-3009), and what an operator pays for it.
import type { Amount, Currency } from "@pay/values";

/** open: not spent yet. used: in a block. cancelled: by the payer. expired, failed: never spent. */
export type AuthorizationState = "open" | "used" | "cancelled" | "expired" | "failed";

/** What an operator pays of the gas of payers. */
export interface SponsorPolicy {
  /** In the smallest unit of the native coin. */
  gasPerDay: Amount;
  gasPerProjectDay: Amount;
  /** The least amount of a currency, in whole units; any amount of one that is missing. */
  minAmounts: ReadonlyMap<Currency, string>;
}
