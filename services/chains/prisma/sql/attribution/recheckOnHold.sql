-- Makes candidates due that are on hold for a signature, for payments of the same amount. A locked candidate is left
-- to its writer.
-- @param {Json} $1:payments
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    chain_id bigint, recipient text, currency text, project_id text, mode smallint, base_amount numeric)
)
update candidates set next_at = $2, misses = 0 where (project_id, id) in (
  select c.project_id, c.id
  from input join candidates c using (chain_id, recipient, currency, project_id, mode, base_amount)
  where c.state = 'waiting' and c.waits_for = 'signature' and c.next_at > $2
  for update of c skip locked)
returning chain_id
