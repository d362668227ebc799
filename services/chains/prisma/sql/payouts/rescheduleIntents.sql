-- Sets when open intents are processed next, and why nothing of them is sent until then.
-- @param $1:intents
update intents i set next_at = l.next_at, held_reason = l.held_reason
from json_to_recordset($1) as l (project_id text, mode smallint, subject_id text, held_reason text /* null */,
  next_at timestamptz)
where i.project_id = l.project_id and i.mode = l.mode and i.subject_id = l.subject_id
  and i.state in ('waiting', 'signed')
