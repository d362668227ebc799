// What a wallet has signed: its next nonce, what of it is under way, and whether it is frozen.
import { type Amount, type Currency, sumAmounts, toAmount, toCurrency } from "@pay/values";
import type { Pool } from "pg";
import type { Wallet } from "./intents.ts";

/** Sums by currency, in base units. */
type Sums = ReadonlyMap<Currency, Amount>;

export interface SignerState {
  /** Undefined: the chain is to be asked. */
  nextNonce: number | undefined;
  /** One more than the highest nonce that an intent has. */
  usedNonces: number;
  isFrozen: boolean;
  /** Signed and not mined. */
  inFlight: { count: number; sums: Sums; cost: Amount };
  /** What was signed within the last day. */
  today: Sums;
}

const STATE = {
  name: "find-signer",
  text: `
    insert into signers as s (chain_id, address) values ($1, $2)
    on conflict (chain_id, address) do update set address = s.address
    returning next_nonce, frozen_at is not null as is_frozen`,
};

const USED = {
  name: "find-used-nonces",
  text: `
    select coalesce(max(nonce), -1) + 1 as used from intents where chain_id = $1 and source = $2`,
};

// The fees of those under way are bound to their highest transaction.
const SUMS = {
  name: "sum-signed-intents",
  text: `
    select i.currency,
      count(*) filter (where i.state = 'signed' and i.mined_tx_hash is null)::int as count,
      coalesce(sum(i.base_amount) filter (where i.state = 'signed' and i.mined_tx_hash is null), 0) as under_way,
      coalesce(sum(i.gas_limit * f.max_fee) filter (where i.state = 'signed' and i.mined_tx_hash is null), 0) as cost,
      coalesce(sum(i.base_amount) filter (where i.signed_at > $3::timestamptz - interval '24 hours'
        and i.failure_reason is null), 0) as today
    from intents i
      left join lateral (select max(max_fee) as max_fee from signed_transactions t
        where t.project_id = i.project_id and t.mode = i.mode and t.subject_id = i.subject_id and i.state = 'signed' and i.mined_tx_hash is null) f on true
    where i.chain_id = $1 and i.source = $2
      and (i.signed_at > $3::timestamptz - interval '24 hours' or i.state = 'signed')
    group by i.currency`,
};

interface SumRow {
  currency: string;
  count: number;
  under_way: string;
  cost: string;
  today: string;
}

/**
 * The nonce is read first. A signature takes it only where it is still the next one, so that nothing was signed after the sums
 * were read, and they hold.
 */
export async function findSigner(
  pool: Pool,
  { chainId, address }: Wallet,
  now: Date,
): Promise<SignerState> {
  const wallet = [chainId, address];
  const state = await pool.query<{ next_nonce: string | null; is_frozen: boolean }>({
    ...STATE,
    values: wallet,
  });
  const used = await pool.query<{ used: string }>({ ...USED, values: wallet });
  const { rows } = await pool.query<SumRow>({ ...SUMS, values: [...wallet, now] });
  const [row] = state.rows;
  function sums(of: (row: SumRow) => string): Sums {
    return new Map(rows.map((one) => [toCurrency(one.currency), toAmount(of(one))]));
  }

  return {
    nextNonce: row?.next_nonce == null ? undefined : Number(row.next_nonce),
    usedNonces: Number(used.rows[0]?.used ?? 0),
    isFrozen: row?.is_frozen ?? false,
    inFlight: {
      count: rows.reduce((sum, one) => sum + one.count, 0),
      sums: sums((one) => one.under_way),
      cost: sumAmounts(rows.map((one) => toAmount(one.cost))),
    },
    today: sums((one) => one.today),
  };
}

const FREEZE = {
  name: "freeze-signer",
  text: `
    update signers set frozen_at = $3, frozen_reason = $4
    where chain_id = $1 and address = $2 and frozen_at is null`,
};

/** True where it was not frozen before. */
export async function freezeSigner(
  pool: Pool,
  { chainId, address }: Wallet,
  { now, reason }: { now: Date; reason: string },
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...FREEZE, values: [chainId, address, now, reason] });
  return rowCount === 1;
}

export interface SignerRow {
  /** As pg reads a bigint. */
  chain_id: string;
  address: string;
  frozen_at: Date | null;
  frozen_reason: string | null;
}

const LIST = {
  name: "list-signers",
  text: `
    select chain_id, address, frozen_at, frozen_reason from signers order by chain_id, address`,
};

export async function listSigners(pool: Pool): Promise<SignerRow[]> {
  return (await pool.query<SignerRow>(LIST)).rows;
}

const UNFREEZE = {
  name: "unfreeze-signer",
  text: `
    with frozen as (
      select chain_id, address, frozen_at, frozen_reason from signers
      where chain_id = $1 and address = $2 and frozen_at is not null
      for update
    )
    update signers s set frozen_at = null, frozen_reason = null, next_nonce = null
    from frozen f where s.chain_id = f.chain_id and s.address = f.address
    returning f.*`,
};

/** How it was until now; undefined where it was not frozen. */
export async function unfreezeSigner(
  pool: Pool,
  { chainId, address }: Wallet,
): Promise<SignerRow | undefined> {
  return (await pool.query<SignerRow>({ ...UNFREEZE, values: [chainId, address] })).rows[0];
}
