// The queue of wallets whose transfers have to be decided. Who changes a fact marks the wallet in the same transaction;
// a lease keeps two processes from deciding about one wallet at once, and a crash lets it be leased again.
import type { Queryable } from "@pay/database";
import {
  type Address,
  type ChainId,
  type Currency,
  type PaymentReference,
  toChainId,
} from "@pay/values";
import type { Pool } from "pg";
import * as sql from "../../generated/sql.ts";

/** Where money of a tenant arrives. */
export interface Wallet {
  projectId: string;
  mode: number;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
}

export interface LeasedWallet extends Wallet {
  /** How many facts had changed. */
  marks: bigint;
}

export function walletRow({ projectId, mode, chainId, recipient, currency }: Wallet) {
  return { project_id: projectId, mode, chain_id: chainId, recipient, currency };
}

interface WalletRow {
  project_id: string;
  mode: number;
  chain_id: bigint;
  recipient: Address;
  currency: Currency;
}

export function toWallet({ project_id, mode, chain_id, recipient, currency }: WalletRow): Wallet {
  return { projectId: project_id, mode, chainId: toChainId(chain_id), recipient, currency };
}

export function walletName({ projectId, mode, chainId, recipient, currency }: Wallet): string {
  return [projectId, mode, chainId, recipient, currency].join(" ");
}

export async function queueWallets(
  db: Queryable,
  wallets: readonly Wallet[],
  now: Date,
): Promise<void> {
  if (wallets.length > 0) await sql.queueWallets(db, { wallets: wallets.map(walletRow), now });
}

/** Those of transfers that name one of the payments and are for none. */
export async function findNamingWallets(
  db: Queryable,
  references: readonly PaymentReference[],
): Promise<Wallet[]> {
  if (references.length === 0) return [];
  const rows = await sql.findNamingWallets(db, { references });
  return rows.map(toWallet);
}

export async function leaseWallets(
  pool: Pool,
  { lease, now, leaseMs, max }: { lease: string; now: Date; leaseMs: number; max: number },
): Promise<LeasedWallet[]> {
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const rows = await sql.leaseWallets(pool, { lease, now, leasedUntil, max });
  return rows.map((row) => ({ ...toWallet(row), marks: row.marks }));
}

/** It is decided again after a second, doubled with each fault since it was last decided, up to eight minutes. */
export async function postponeWallet(
  pool: Pool,
  wallet: LeasedWallet,
  { lease, now }: { lease: string; now: Date },
): Promise<void> {
  await sql.postponeWallets(pool, { wallets: [walletRow(wallet)], lease, now });
}
