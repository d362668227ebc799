-- Finds the transfers to wallets that are for payments or in submitted transactions, whether or not that may still change.
-- Transfers are found by their hashes first: a tenant has too many attributions.
-- @param {Json} $1:wallets
-- @param {Json} $2:payments
-- @param {Json} $3:hashes
with wallets as (
  select * from json_to_recordset($1) as wallets (
    n integer, project_id text, mode smallint, chain_id bigint, recipient text, currency text)
), payments as (
  select * from json_to_recordset($2) as payments (project_id text, payment_id text)
), hashes as (
  select * from json_to_recordset($3) as hashes (chain_id bigint, tx_hash text, project_id text, mode smallint)
), named as materialized (
  select t.id, h.project_id, h.mode from hashes h join transfers t using (chain_id, tx_hash)
), found as (
  select a.transfer_id, a.project_id, a.mode
  from payments p join attributions a on a.project_id = p.project_id and a.payment_id = p.payment_id
  union
  select a.transfer_id, a.project_id, a.mode
  from named n join attributions a on a.transfer_id = n.id and a.project_id = n.project_id and a.mode = n.mode
)
select w.n as "n!", t.id, t.chain_id, t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.wallet, t.value, t.block_number, t.block_hash,
  t.block_time, t.arrived_at, t.status, t.reference, t.is_authorized, a.is_open, a.payment_id, a.rule, a.reason, a.candidates,
  a.decided_at,
  (select x.subject_id from allocations x
    where x.transfer_id = t.id and x.project_id = a.project_id and x.mode = a.mode) as "paid_subject_id?"
from found f
  join attributions a on a.transfer_id = f.transfer_id and a.project_id = f.project_id and a.mode = f.mode
  join transfers t on t.id = f.transfer_id
  join wallets w on w.project_id = f.project_id and w.mode = f.mode and w.chain_id = t.chain_id
    and w.recipient = t.wallet and w.currency = t.currency
order by t.block_number, t.tx_hash, t.kind, t.ordinal
