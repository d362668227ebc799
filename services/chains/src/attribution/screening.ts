// Which of the wallets that pay a payment were screened. Money counts as proven once there is an answer about its
// wallet; what has paid a settled payment has counted before.
import type { Address } from "@pay/values";
import type { Contribution, ScreenedWallet } from "./domain/money.ts";
import type { StoredWatch, WalletFacts } from "./storage/facts.ts";
import type { StoredScreening } from "./storage/screenings.ts";

export interface UnscreenedPayer {
  watch: StoredWatch;
  sender: Address;
}

type Facts = Pick<WalletFacts, "isScreening" | "screenings">;

export function isAwaited(wallet: Address, watch: StoredWatch, facts: Facts): boolean {
  if (watch.is_settled) return false;
  const known = list(watch, facts).find(({ sender }) => sender === wallet);
  return known === undefined ? facts.isScreening : known.is_blocked === null;
}

export function findUnscreened(
  watch: StoredWatch,
  contributions: readonly Pick<Contribution, "sender">[],
  facts: Facts,
): UnscreenedPayer[] {
  if (!facts.isScreening) return [];
  const known = new Set(list(watch, facts).map(({ sender }) => sender));
  const payers = new Set(contributions.map(({ sender }) => sender));
  return [...payers].flatMap((sender) => (known.has(sender) ? [] : [{ watch, sender }]));
}

export function findBlocked(watch: StoredWatch, facts: Facts): ScreenedWallet[] {
  return list(watch, facts).flatMap(({ sender, cause }) =>
    cause === null ? [] : [{ address: sender, cause }],
  );
}

/** No decision has read it. */
export function isNewAnswer({ is_blocked, is_told }: StoredScreening): boolean {
  return is_blocked !== null && !is_told;
}

function list({ payment_id }: StoredWatch, { screenings }: Facts): readonly StoredScreening[] {
  return screenings.get(payment_id) ?? [];
}
