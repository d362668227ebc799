-- Ends intents whose transaction is final. What a sweep has left at deposit addresses may be swept again.
-- @param $1:intents
-- @param $2:now
with ended as (
  update intents i set state = 'completed', held_reason = null, ended_at = $2
  from json_to_recordset($1) as g (project_id text, mode smallint, subject_id text)
  where i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id
    and i.state = 'signed' and i.mined_tx_hash is not null
  returning i.project_id, i.mode, i.subject_id
)
update deposits d set sweep_id = null
from ended e
where d.project_id = e.project_id and d.mode = e.mode and d.sweep_id = e.subject_id
