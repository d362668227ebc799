// The sums of wallets. Triggers on refunds and settlements keep their parts; credits are added here.
import type { Tenant } from "@pay/rpc";
import type { Address, ChainId, Currency } from "@pay/values";
import type { Pool, PoolClient } from "pg";
import type { Credit } from "../domain/credit.ts";
import type { Wallet } from "../domain/wallet.ts";
import * as sql from "../generated/sql.ts";

/** The wallet under lock until the transaction ends; undefined where nothing ever arrived. */
export async function lockWallet(
  tx: PoolClient,
  tenant: Tenant,
  wallet: { chainId: ChainId; currency: Currency; sourceAddress: Address },
): Promise<Wallet | undefined> {
  const [locked] = await sql.lockWallet(tx, { ...tenant, ...wallet });
  return locked;
}

/** Credits of payments at their present versions; one row a payment. */
export async function creditWallets(tx: PoolClient, credits: readonly Credit[]): Promise<void> {
  if (credits.length === 0) return;
  await sql.openCredits(tx, { credits });
  await sql.creditWallets(tx, { credits });
}

/** A wallet and a currency: where a page of them ends. */
export interface WalletPlace {
  chainId: bigint;
  currency: string;
  address: string;
}

const BEGINNING: WalletPlace = { chainId: 0n, currency: "", address: "" };

export function listWallets(
  pool: Pool,
  { projectId, mode }: Tenant,
  { after = BEGINNING, limit }: { after: WalletPlace | undefined; limit: number },
): Promise<Wallet[]> {
  const { chainId: afterChainId, currency: afterCurrency, address: afterAddress } = after;
  return sql.listWallets(pool, {
    projectId,
    mode,
    afterChainId,
    afterCurrency,
    afterAddress,
    limit,
  });
}
