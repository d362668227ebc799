-- Brings the next turn of a target forward, where it was told nothing.
-- @param $1:projectId
-- @param $2:target
-- @param $3:dueAt
update notice_turns set due_at = $3 where project_id = $1 and target = $2
