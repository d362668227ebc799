-- Finds the open payments that transfers may pay. Each branch stops early, because two payments with an equal claim
-- are as ambiguous as two thousand, and reads the index that was made for it. Cancelled payments are read only where
-- no other payment matches: their merchant decides.
-- @param $1:chainId
-- @param {Json} $2:transfers
with recursive arrived as (
  select * from json_to_recordset($2) as input (
    n integer, tx_hash text, kind text, ordinal integer, currency text, sender text, recipient text, value numeric,
    block_time timestamptz)
), tenants as (
  select first.* from (select distinct recipient, currency from arrived) s
  cross join lateral (
    select w.recipient, w.currency, w.project_id, w.mode from watches w
    where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
    order by w.project_id, w.mode limit 1) first
  union all
  select next.* from tenants t cross join lateral (
    select w.recipient, w.currency, w.project_id, w.mode from watches w
    where w.chain_id = $1 and w.recipient = t.recipient and w.currency = t.currency and w.state = 'open'
      and (w.project_id, w.mode) > (t.project_id, t.mode)
    order by w.project_id, w.mode limit 1) next
), pairs as (
  select s.*, t.project_id, t.mode from arrived s join tenants t using (recipient, currency)
  where s.sender <> s.recipient and not exists (
    select from transfers x join allocations a on a.transfer_id = x.id
    where x.chain_id = $1 and x.tx_hash = s.tx_hash and x.kind = s.kind and x.ordinal = s.ordinal
      and a.project_id = t.project_id and a.mode = t.mode)
), open as (
  select s.n, found.* from pairs s cross join lateral (
    (select 'bound' as kind, w.* from watches w
      where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        and w.project_id = s.project_id and w.mode = s.mode and not w.cancelled
        and date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
        and w.payer between s.sender and s.sender
      order by w.payer, w.payer_signed_at is null, w.base_amount <> s.value limit 5)
    union all
    (select 'exact' as kind, w.* from watches w
      where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        and w.project_id = s.project_id and w.mode = s.mode and not w.cancelled
        and date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
        and w.payer is null and w.base_amount between s.value and s.value
      order by w.base_amount limit 2)
    union all
    (select 'open' as kind, w.* from watches w
      where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        and w.project_id = s.project_id and w.mode = s.mode and not w.cancelled
        and date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
        and w.payer is null
      order by w.expires_at limit 2)
  ) found
), others as materialized (
  select s.* from pairs s
  where not exists (select from open o where o.n = s.n and o.project_id = s.project_id and o.mode = s.mode)
), cancelled as (
  select s.n, found.* from others s cross join lateral (
    (select 'bound' as kind, w.* from watches w
      where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        and w.project_id = s.project_id and w.mode = s.mode and w.cancelled
        and date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
        and w.payer between s.sender and s.sender
      order by w.payer, w.payer_signed_at is null, w.base_amount <> s.value limit 5)
    union all
    (select 'exact' as kind, w.* from watches w
      where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        and w.project_id = s.project_id and w.mode = s.mode and w.cancelled
        and date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
        and w.payer is null and w.base_amount between s.value and s.value
      order by w.base_amount limit 2)
    union all
    (select 'open' as kind, w.* from watches w
      where w.chain_id = $1 and w.recipient = s.recipient and w.currency = s.currency and w.state = 'open'
        and w.project_id = s.project_id and w.mode = s.mode and w.cancelled
        and date_trunc('second', w.opened_at) <= s.block_time and w.expires_at >= s.block_time
        and w.payer is null
      order by w.expires_at limit 2)
  ) found
)
select n as "n!", kind = 'bound' as "is_own!", kind = 'exact' as "is_exact!",
  payment_id as "payment_id!", project_id as "project_id!", mode as "mode!",
  request_id as "request_id!", chain_id as "chain_id!", recipient as "recipient!", currency as "currency!",
  payer as "payer?", payer_declared_at as "payer_declared_at?", payer_signed_at as "payer_signed_at?",
  base_amount as "base_amount!", opened_at as "opened_at!", expires_at as "expires_at!", state as "state!",
  version as "version!", unsigned_claims as "unsigned_claims?", cancelled as "cancelled!"
from (select * from open union all select * from cancelled) matches
