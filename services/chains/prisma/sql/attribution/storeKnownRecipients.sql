-- Stores where money of tenants arrives, and since when: the earliest time counts, in whatever order payments are
-- learnt. Opens the accounts of the wallets in the books for their owners: in the currency and in the native coin, which
-- pays gas. Rows are written in the order of their keys, so that two writers cannot deadlock.
-- @param {Json} $1:recipients
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text, sender text,
    known_since timestamptz)
), first_known as (
  select distinct on (project_id, mode, chain_id, recipient, currency, sender) *
  from input
  order by project_id, mode, chain_id, recipient, currency, sender, known_since
), held as (
  select distinct k.project_id, k.mode, k.chain_id, w.wallet, c.currency
  from first_known k
    cross join lateral (select coalesce(nullif(k.sender, ''), k.recipient) as wallet) w
    cross join lateral (values (k.currency), ('native')) c (currency)
), booked as (
  insert into book_accounts (chain_id, wallet, currency)
  select distinct h.chain_id, h.wallet, h.currency from held h
  where not exists (
    select from book_accounts b where b.chain_id = h.chain_id and b.wallet = h.wallet and b.currency = h.currency)
  order by 1, 2, 3
  on conflict do nothing
  returning id, chain_id, wallet, currency
), owned as (
  insert into book_owners (project_id, mode, account_id)
  select h.project_id, h.mode, b.id from held h join booked b using (chain_id, wallet, currency)
  union all
  select h.project_id, h.mode, b.id from held h join book_accounts b using (chain_id, wallet, currency)
  where not exists (
    select from book_owners o where o.project_id = h.project_id and o.mode = h.mode and o.account_id = b.id)
  order by 1, 2, 3
  on conflict do nothing
)
insert into known_recipients as known (project_id, mode, chain_id, recipient, currency, sender, known_since)
select project_id, mode, chain_id, recipient, currency, sender, known_since from first_known k
where not exists (
  select from known_recipients r
  where r.project_id = k.project_id and r.mode = k.mode and r.chain_id = k.chain_id
    and r.recipient = k.recipient and r.currency = k.currency and r.sender = k.sender
    and r.known_since <= k.known_since)
order by project_id, mode, chain_id, recipient, currency, sender, known_since
on conflict (project_id, mode, chain_id, recipient, currency, sender) do update set known_since = excluded.known_since
where known.known_since > excluded.known_since
