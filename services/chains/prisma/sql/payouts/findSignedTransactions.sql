-- Finds the signed transactions of intents, each with what became of its hash.
-- @param {Json} $1:intents
select s.*, (
  select case when c.outcome is null then 'waiting' when c.outcome = 'counted' then 'confirmed' else 'rejected' end
  from submissions c
  where c.project_id = s.project_id and c.mode = s.mode and c.subject_id = s.subject_id and c.tx_hash = s.tx_hash
) as verdict
from json_to_recordset($1) as i (project_id text, mode smallint, subject_id text)
  join signed_transactions s using (project_id, mode, subject_id)
order by s.ordinal
