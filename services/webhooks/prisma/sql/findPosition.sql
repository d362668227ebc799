-- Finds the position of an event in the feed of a project and mode.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
select position from events where id = $1 and project_id = $2 and mode = $3
