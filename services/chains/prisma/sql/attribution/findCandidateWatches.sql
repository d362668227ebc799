-- Finds the payments that transfers may be for: those due exactly the value, those in parts, two that are due anything,
-- one that is due more, those that ended within a day, and those that the sender has signed. Each branch stops early and
-- reads the index that was made for it; a payment that was whole before the transfer is none.
-- @param {Json} $1:transfers
with input as (
  select * from json_to_recordset($1) as input (
    n integer, project_id text, mode smallint, chain_id bigint, recipient text, currency text, sender text,
    value numeric, block_number bigint, arrived_at timestamptz)
), arrived as (
  select distinct n, project_id, mode, chain_id, recipient, currency, sender, value, block_number, arrived_at,
    wallet_key(project_id, mode, chain_id, recipient, currency) as key
  from input
)
select distinct a.n as "n!", found.project_id as "project_id!", found.payment_id as "payment_id!"
from arrived a cross join lateral (
  (select w.project_id, w.payment_id from watches w
    where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) = a.key and w.base_amount = a.value
      and w.ends_at >= a.arrived_at and w.opened_at <= a.arrived_at + interval '4 seconds'
      and (w.paid_block is null or w.paid_block >= a.block_number)
    order by w.ends_at limit 40)
  union all
  (select w.project_id, w.payment_id from watches w
    where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) = a.key and w.has_parts
      and w.ends_at >= a.arrived_at - interval '24 hours' limit 100)
  union all
  (select w.project_id, w.payment_id from watches w
    where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) = a.key and w.paid_block is null
      and w.ends_at >= a.arrived_at and w.opened_at <= a.arrived_at + interval '4 seconds'
    order by w.ends_at limit 2)
  union all
  (select w.project_id, w.payment_id from watches w
    where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) = a.key and w.paid_block is null
      and w.ends_at >= a.arrived_at and w.opened_at <= a.arrived_at + interval '4 seconds' and w.base_amount > a.value
    order by w.ends_at limit 1)
  union all
  (select w.project_id, w.payment_id from watches w
    where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) = a.key and w.base_amount = a.value
      and w.ends_at < a.arrived_at and w.ends_at >= a.arrived_at - interval '24 hours'
      and (w.paid_block is null or w.paid_block >= a.block_number)
    order by w.ends_at desc limit 40)
  union all
  (select w.project_id, w.payment_id from watches w
    where wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) = a.key and w.signed_by = a.sender
      and w.ends_at >= a.arrived_at
    order by w.ends_at limit 40)
) found
