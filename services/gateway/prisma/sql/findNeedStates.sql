-- Finds what people have noted about needs of a project and mode.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:ids
select need_id, kind, taken_by, note, done_at from need_states
where project_id = $1 and mode = $2 and need_id = any($3)
