// The wallets that payments of a project go to where their request names none. A change waits, so that a stolen key
// moves no money before its owner has seen the change and taken it back.
import { isDeepStrictEqual } from "node:util";
import type { ChainId } from "@pay/values";

export interface Wallet {
  chainId: ChainId;
  address: string;
}

/** Wallets that are in force, and those that replace all of them from a time on. */
export interface DefaultWallets {
  current: Wallet[];
  pending: { wallets: Wallet[]; usableAt: string } | null;
}

/** As the column has them; null for none. */
export type StoredWallets = DefaultWallets | null;

export function getWallets(stored: StoredWallets, now: Date): DefaultWallets {
  const { current, pending } = stored ?? { current: [], pending: null };
  return pending !== null && new Date(pending.usableAt) <= now
    ? { current: pending.wallets, pending: null }
    : { current, pending };
}

/** The wallets that are in force take back a change that waits; the same change once more keeps its time. */
export function planWallets(
  stored: StoredWallets,
  wanted: readonly Wallet[],
  { now, delayMs }: { now: Date; delayMs: number },
): StoredWallets {
  const wallets = wanted.toSorted((one, other) => one.chainId - other.chainId);
  const present = getWallets(stored, now);
  if (present.pending !== null && isDeepStrictEqual(present.pending.wallets, wallets))
    return stored;
  const isBack = isDeepStrictEqual(present.current, wallets);
  const usableAt = new Date(now.getTime() + delayMs).toISOString();
  const planned = { current: present.current, pending: isBack ? null : { wallets, usableAt } };
  const { current, pending } = getWallets(planned, now);
  return current.length === 0 && pending === null ? null : { current, pending };
}

/** The wallet of payments on this chain whose request names none. */
export function findWallet(stored: StoredWallets, chainId: ChainId, now: Date): string | undefined {
  if (stored === null) return undefined;
  return getWallets(stored, now).current.find((wallet) => wallet.chainId === chainId)?.address;
}
