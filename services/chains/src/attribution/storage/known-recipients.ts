// Where money of a tenant arrives. Rows are only ever added: old transfers stay visible to whom they were meant for. The
// wallets of tenants, which are those recipients and the senders of refunds, get their accounts in the books; each also one
// for the native coin, which pays its gas.
import type { Address, ChainId, Currency } from "@pay/values";
import type { ClientBase, Pool } from "pg";

export interface KnownRecipient {
  projectId: string;
  mode: number;
  chainId: ChainId;
  recipient: Address;
  currency: Currency;
  /** Undefined: from anyone. */
  sender: Address | undefined;
  since: Date;
}

// In the order of the key, so that two writers wait for each other and no more.
const INSERT = {
  name: "insert-known-recipients",
  text: `
    with given as (
      select distinct on (project_id, mode, chain_id, recipient, currency, sender) k.*
      from unnest($1::text[], $2::smallint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
        as k (project_id, mode, chain_id, recipient, currency, sender, known_since)
      order by project_id, mode, chain_id, recipient, currency, sender, known_since
    ), booked as (
      insert into book_accounts (chain_id, wallet, currency)
      select distinct g.chain_id, w.wallet, c.currency
      from given g cross join lateral (select coalesce(nullif(g.sender, ''), g.recipient) as wallet) w
        cross join lateral (values (g.currency), ('native')) c (currency)
      where not exists (
        select from book_accounts b
        where b.chain_id = g.chain_id and b.wallet = w.wallet and b.currency = c.currency)
      order by 1, 2, 3
      on conflict do nothing
    )
    insert into known_recipients (project_id, mode, chain_id, recipient, currency, sender, known_since)
    select k.* from given k
    where not exists (
      select from known_recipients r where r.project_id = k.project_id and r.mode = k.mode and r.chain_id = k.chain_id
        and r.recipient = k.recipient and r.currency = k.currency and r.sender = k.sender)
    order by project_id, mode, chain_id, recipient, currency, sender, known_since
    on conflict do nothing`,
};

export async function insertKnownRecipients(
  db: Pool | ClientBase,
  known: readonly KnownRecipient[],
): Promise<void> {
  if (known.length === 0) return;
  const values = [
    known.map(({ projectId }) => projectId),
    known.map(({ mode }) => mode),
    known.map(({ chainId }) => chainId),
    known.map(({ recipient }) => recipient),
    known.map(({ currency }) => currency),
    known.map(({ sender }) => sender ?? ""),
    known.map(({ since }) => since),
  ];
  await db.query({ ...INSERT, values });
}
