-- Ends the leases of wallets. One whose facts have changed meanwhile is due at once, one that waits for a time then; the
-- others leave the queue.
-- @param {Json} $1:wallets
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text, marks bigint,
    next_at timestamptz /* null */)
), done as (
  delete from attribution_queue q using input i
  where q.project_id = i.project_id and q.mode = i.mode and q.chain_id = i.chain_id and q.recipient = i.recipient
    and q.currency = i.currency and q.marks = i.marks and i.next_at is null
  returning q.project_id, q.mode, q.chain_id, q.recipient, q.currency
)
update attribution_queue q set lease = null, leased_until = null, faults = 0,
  next_at = case when q.marks = i.marks then i.next_at else $2::timestamptz end
from input i
where q.project_id = i.project_id and q.mode = i.mode and q.chain_id = i.chain_id and q.recipient = i.recipient
  and q.currency = i.currency and (q.marks <> i.marks or i.next_at is not null)
