-- Finds the transfers of wallets whose decision may still change, also those that a reorganisation has removed.
-- @param {Json} $1:wallets
with wallets as (
  select * from json_to_recordset($1) as wallets (
    n integer, project_id text, mode smallint, chain_id bigint, recipient text, currency text)
)
select w.n as "n!", t.id, t.chain_id, t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.wallet, t.value, t.block_number, t.block_hash,
  t.block_time, t.arrived_at, t.status, t.reference, t.is_authorized, a.is_open, a.payment_id, a.rule, a.reason, a.candidates,
  a.decided_at,
  (select p.subject_id from allocations p
    where p.transfer_id = t.id and p.project_id = a.project_id and p.mode = a.mode) as "paid_subject_id?"
from wallets w
  join attributions a on a.wallet_key = wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency)
    and a.is_open and a.project_id = w.project_id and a.mode = w.mode
  join transfers t on t.id = a.transfer_id and t.chain_id = w.chain_id and t.wallet = w.recipient
    and t.currency = w.currency
order by t.block_number, t.tx_hash, t.kind, t.ordinal
