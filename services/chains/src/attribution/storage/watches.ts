// SQL of open payments.
import {
  type Address,
  type ChainId,
  type Currency,
  toAddress,
  toAmount,
  toChainId,
  toCurrency,
} from "@pay/values";
import type { ClientBase, Pool } from "pg";
import type { Watch } from "../domain/watch.ts";
import { AGAIN_XID } from "./again.ts";

const COLUMNS = {
  payment_id: "text",
  project_id: "text",
  mode: "smallint",
  request_id: "text",
  chain_id: "bigint",
  recipient: "text",
  currency: "text",
  payer: "text",
  payer_declared_at: "timestamptz",
  payer_signed_at: "timestamptz",
  base_amount: "numeric",
  opened_at: "timestamptz",
  expires_at: "timestamptz",
  state: "text",
  version: "integer",
  unsigned_claims: "text",
  cancelled: "boolean",
} as const;
const NAMES = Object.keys(COLUMNS);
const PARAMETERS = Object.values(COLUMNS).map((type, at) => `$${at + 1}::${type}[]`);

const IS_OPENED_AGAIN = "w.state = 'closed' and excluded.state = 'open'";
const MAY_BE_PAID_BY_MORE = `excluded.state = 'open' and (excluded.expires_at > w.expires_at
  or excluded.payer is distinct from w.payer or excluded.payer_signed_at is distinct from w.payer_signed_at)`;

// Events may repeat and come late; the version of the payment decides which is the newer one. What a change lets pay the
// payment may have come before the change was known. While a payment is closed its recipient may not be followed.
const UPSERT = {
  name: "upsert-watches",
  text: `
    insert into watches as w (${NAMES.join(", ")}, opened_xid)
    select distinct on (project_id, payment_id) n.*, pg_current_xact_id()::text::bigint
    from unnest(${PARAMETERS.join(", ")}) as n (${NAMES.join(", ")})
    order by project_id, payment_id, version desc
    on conflict (project_id, payment_id) do update set
      payer = excluded.payer, payer_declared_at = excluded.payer_declared_at,
      payer_signed_at = excluded.payer_signed_at, request_id = excluded.request_id,
      expires_at = excluded.expires_at, state = excluded.state, version = excluded.version,
      cancelled = excluded.cancelled,
      opened_xid = case when ${IS_OPENED_AGAIN} or ${MAY_BE_PAID_BY_MORE} then excluded.opened_xid else w.opened_xid end,
      again_xid = case when ${IS_OPENED_AGAIN} then null when ${MAY_BE_PAID_BY_MORE} then ${AGAIN_XID} else w.again_xid end
    where w.version < excluded.version`,
};

export async function upsertWatches(
  db: Pool | ClientBase,
  watches: readonly Watch[],
): Promise<void> {
  if (watches.length === 0) return;
  const rows = watches.map((watch) => [
    watch.paymentId,
    watch.projectId,
    watch.mode,
    watch.requestId,
    watch.chainId,
    watch.recipient,
    watch.currency,
    watch.payer ?? null,
    watch.payerDeclaredAt ?? null,
    watch.payerSignedAt ?? null,
    watch.baseAmount.toString(),
    watch.openedAt,
    watch.expiresAt,
    watch.isOpen ? "open" : "closed",
    watch.version,
    watch.firstWins ? "first" : null,
    watch.isCancelled,
  ]);
  await db.query({ ...UPSERT, values: NAMES.map((_, at) => rows.map((row) => row[at])) });
}

export interface WatchRow {
  payment_id: string;
  project_id: string;
  mode: number;
  request_id: string;
  chain_id: bigint;
  recipient: string;
  currency: string;
  payer: string | null;
  payer_declared_at: Date | null;
  payer_signed_at: Date | null;
  base_amount: bigint;
  opened_at: Date;
  expires_at: Date;
  state: string;
  version: number;
  unsigned_claims: string | null;
  cancelled: boolean;
}

export function toWatch(row: WatchRow): Watch {
  return {
    paymentId: row.payment_id,
    projectId: row.project_id,
    mode: row.mode,
    requestId: row.request_id,
    chainId: toChainId(row.chain_id),
    recipient: toAddress(row.recipient),
    currency: toCurrency(row.currency),
    payer: row.payer === null ? undefined : toAddress(row.payer),
    payerDeclaredAt: row.payer_declared_at ?? undefined,
    payerSignedAt: row.payer_signed_at ?? undefined,
    baseAmount: toAmount(row.base_amount),
    openedAt: row.opened_at,
    expiresAt: row.expires_at,
    isOpen: row.state === "open",
    isCancelled: row.cancelled,
    firstWins: row.unsigned_claims === "first",
    version: row.version,
  };
}

const RECIPIENTS = {
  name: "list-watched-recipients",
  text: `
    with recursive found as (
      (select recipient, currency from watches where chain_id = $1 and state = 'open'
        and (recipient, currency) > ($2, $3) order by recipient, currency limit 1)
      union all
      select next.recipient, next.currency from found cross join lateral (
        select w.recipient, w.currency from watches w where w.chain_id = $1 and w.state = 'open'
          and (w.recipient, w.currency) > (found.recipient, found.currency)
        order by w.recipient, w.currency limit 1) next
    )
    select recipient, currency from found limit $4`,
};

const RECIPIENTS_PAGE = 20_000;

/** Recipient and currency of every open payment of the chain, each once. */
export async function* listRecipients(
  pool: Pool,
  chainId: ChainId,
): AsyncGenerator<{ recipient: Address; currency: Currency }> {
  let after = { recipient: "", currency: "" };
  for (;;) {
    const values = [chainId, after.recipient, after.currency, RECIPIENTS_PAGE];
    const { rows } = await pool.query<typeof after>({ ...RECIPIENTS, values });
    for (const row of rows) {
      yield { recipient: toAddress(row.recipient), currency: toCurrency(row.currency) };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < RECIPIENTS_PAGE) return;
    after = last;
  }
}

const PURGE = {
  name: "purge-watches",
  text: `
    delete from watches where (project_id, payment_id) in (
      select project_id, payment_id from watches where expires_at < $1 order by expires_at limit $2)`,
};

/** Answers how many were removed. */
export async function purgeWatches(
  pool: Pool,
  { expiredBefore, max }: { expiredBefore: Date; max: number },
): Promise<number> {
  const { rowCount } = await pool.query({ ...PURGE, values: [expiredBefore, max] });
  return rowCount ?? 0;
}
