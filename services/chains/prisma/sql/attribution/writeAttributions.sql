-- Writes what is made of transfers. A transfer that left the chain is for none.
-- @param {Json} $1:attributions
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    transfer_id bigint, project_id text, mode smallint, is_open boolean, payment_id text /* null */,
    rule text /* null */, reason text /* null */, candidates jsonb /* null */)
)
update attributions a set is_open = i.is_open, payment_id = i.payment_id, rule = i.rule, reason = i.reason,
  candidates = i.candidates, decided_at = $2::timestamptz
from input i
where a.transfer_id = i.transfer_id and a.project_id = i.project_id and a.mode = i.mode
