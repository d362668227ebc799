-- Removes the entry of a request that was a repetition and so changed nothing.
-- @param $1:id
-- @param $2:projectId
-- @param $3:week
delete from audit_entries where project_id = $2 and id = $1 and week = $3
