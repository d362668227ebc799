-- Locks the wallets that are still leased, in the order of their keys, and reads whether their facts have changed.
-- @param {Json} $1:wallets
-- @param $2:lease
select q.project_id, q.mode, q.chain_id, q.recipient, q.currency, q.marks
from json_to_recordset($1) as input (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text)
  join attribution_queue q using (project_id, mode, chain_id, recipient, currency)
where q.lease = $2
order by q.project_id, q.mode, q.chain_id, q.recipient, q.currency for update of q
