-- The block of their transaction left the chain.
-- @param $1:intents
update intents i set mined_tx_hash = null, mined_block = null
from json_to_recordset($1) as g (project_id text, mode smallint, subject_id text)
where i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id and i.state = 'signed'
