-- Ends intents whose transaction is final.
-- @param $1:intents
-- @param $2:now
update intents i set state = 'completed', held_reason = null, ended_at = $2
from json_to_recordset($1) as g (project_id text, mode smallint, subject_id text)
where i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id
  and i.state = 'signed' and i.mined_tx_hash is not null
