-- Ends an authorization that no transaction of the service spends, and its intent; nothing changes where it has moved.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectId
-- @param $4:from
-- @param $5:reason
-- @param $6:state
-- @param $7:txHash?
-- @param $8:now
with ended as (
  update intents set state = 'failed', failure_reason = $5, held_reason = null, ended_at = $8::timestamptz
  where project_id = $1 and mode = $2 and subject_id = $3 and state = $4
  returning project_id, mode, subject_id
)
update authorizations a set state = $6, tx_hash = $7, ended_at = $8::timestamptz
from ended e
where a.project_id = e.project_id and a.mode = e.mode and a.subject_id = e.subject_id and a.state in ('open', 'used')
