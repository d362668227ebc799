// The sums of wallets. Triggers on refunds and settlements keep what those take; credits are added here.
import { arrayParameters, bigints, columnArrays } from "@pay/database";
import type { Tenant } from "@pay/rpc";
import type { Address, ChainId, Currency } from "@pay/values";
import type { PoolClient } from "pg";
import type { Credit } from "../domain/credit.ts";
import type { Wallet } from "../domain/wallet.ts";

const LOCK = {
  name: "lock-wallet",
  text: `
    select * from wallet_balances
    where project_id = $1 and mode = $2 and chain_id = $3 and currency = lower($4)
      and source_address = lower($5) for update`,
};

/** The wallet under lock until the transaction ends; undefined where nothing ever arrived. */
export async function lockWallet(
  tx: PoolClient,
  { projectId, mode }: Tenant,
  wallet: { chainId: ChainId; currency: Currency; sourceAddress: Address },
): Promise<Wallet | undefined> {
  const { chainId, currency, sourceAddress } = wallet;
  const values = [projectId, mode, chainId, currency, sourceAddress];
  const { rows } = await tx.query<Wallet>({ ...LOCK, types: bigints, values });
  return rows[0];
}

const COLUMNS = {
  payment_id: "text",
  project_id: "text",
  mode: "smallint",
  chain_id: "bigint",
  currency: "text",
  source_address: "text",
  decimals: "smallint",
  base_amount: "numeric",
  version: "integer",
} as const satisfies Record<keyof Credit, string>;
const NAMES = Object.keys(COLUMNS) as (keyof Credit)[];

// A row to lock for each payment that is confirmed for the first time. A payment that never was confirmed has none.
const OPEN = {
  name: "open-credits",
  text: `
    insert into wallet_credits (payment_id, base_amount, version)
    select payment_id, 0, 0 from unnest($1::text[], $2::numeric[]) as g (payment_id, base_amount)
    where base_amount > 0 order by payment_id
    on conflict do nothing`,
};

// An event that is older than the stored one changes nothing. Wallets are taken in one order, so that no two lists wait
// for each other in a circle.
const CREDIT = {
  name: "credit-wallets",
  text: `
    with given as (
      select * from unnest(${arrayParameters(Object.values(COLUMNS), 1)}) as g (${NAMES.join(", ")})
    ), earlier as materialized (
      select payment_id, base_amount, version from wallet_credits
      where payment_id in (select payment_id from given) order by payment_id for update
    ), fresh as materialized (
      select given.*, given.base_amount - earlier.base_amount as difference
      from given join earlier using (payment_id) where earlier.version < given.version
    ), stored as (
      update wallet_credits as credit set base_amount = fresh.base_amount, version = fresh.version
      from fresh where credit.payment_id = fresh.payment_id
    ), totals as materialized (
      select project_id, mode, chain_id, currency, source_address, min(decimals) as decimals,
        sum(difference) as difference
      from fresh group by 1, 2, 3, 4, 5 having sum(difference) <> 0
    ), lowered as (
      update wallet_balances as wallet set credited = wallet.credited + totals.difference
      from totals
      where difference < 0 and wallet.project_id = totals.project_id and wallet.mode = totals.mode
        and wallet.chain_id = totals.chain_id and wallet.currency = totals.currency
        and wallet.source_address = totals.source_address
    )
    insert into wallet_balances as wallet (project_id, mode, chain_id, currency, source_address,
      decimals, credited, reserved_refunds, settled)
    select project_id, mode, chain_id, currency, source_address, decimals, difference, 0, 0
    from totals where difference > 0
    order by project_id, mode, chain_id, currency, source_address
    on conflict (project_id, mode, chain_id, currency, source_address)
    do update set credited = wallet.credited + excluded.credited`,
};

/** What payments brought to wallets, at their present versions; one row a payment. */
export async function creditWallets(tx: PoolClient, credits: readonly Credit[]): Promise<void> {
  if (credits.length === 0) return;
  await tx.query({ ...OPEN, values: columnArrays(["payment_id", "base_amount"], credits) });
  await tx.query({ ...CREDIT, values: columnArrays(NAMES, credits) });
}
