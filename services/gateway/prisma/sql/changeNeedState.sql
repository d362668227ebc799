-- Changes a locked state of a need.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:needId
-- @param $4:takenBy?
-- @param $5:note?
-- @param $6:doneAt?
update need_states set taken_by = $4, note = $5, done_at = $6
where project_id = $1 and mode = $2 and need_id = $3
