-- Finds the transfers that are for payments, whether or not that may still change.
-- @param {Json} $1:payments
with payments as (
  select * from json_to_recordset($1) as payments (n integer, project_id text, payment_id text)
)
select p.n as "n!", t.id, t.chain_id, t.tx_hash, t.kind, t.ordinal, t.sender, t.value, t.block_number, t.block_hash,
  t.block_time, t.arrived_at, t.status, a.is_open, a.payment_id, a.rule, a.reason, a.candidates, a.decided_at,
  (select x.subject_id from allocations x
    where x.transfer_id = t.id and x.project_id = a.project_id and x.mode = a.mode) as "paid_subject_id?"
from payments p join attributions a on a.project_id = p.project_id and a.payment_id = p.payment_id
  join transfers t on t.id = a.transfer_id
order by t.block_number, t.tx_hash, t.kind, t.ordinal
