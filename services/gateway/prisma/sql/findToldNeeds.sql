-- Finds of some needs those that a target was told of.
-- @param $1:projectId
-- @param $2:target
-- @param $3:mode
-- @param $4:ids
select need_id, subject from told_needs
where project_id = $1 and target = $2 and mode = $3 and need_id = any($4)
