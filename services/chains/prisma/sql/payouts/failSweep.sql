-- Ends a sweep that no transaction makes; nothing changes where it has moved.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectId
-- @param $4:from
-- @param $5:reason
-- @param $6:now
with ended as (
  update intents set state = 'failed', failure_reason = $5, held_reason = null, ended_at = $6
  where project_id = $1 and mode = $2 and subject_id = $3 and state = $4
  returning subject_id
), released as (
  update deposits d set sweep_id = null
  from ended e where d.project_id = $1 and d.mode = $2 and d.sweep_id = e.subject_id
)
select count(*)::int as "ended!" from ended
