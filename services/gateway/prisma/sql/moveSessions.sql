-- Moves sessions of a subject under an older pepper to the current one. An occupied slot keeps its session.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subject
-- @param $4:olderSubject
update sessions set subject = $3
where project_id = $1 and mode = $2 and subject = $4 and slot not in (
  select slot from sessions where project_id = $1 and mode = $2 and subject = $3)
