-- Lists the events of a project and mode backwards, those before a position.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:before
-- @param $4:limit
select id, type, resource_id, sequence, occurred_at, body from events
where project_id = $1 and mode = $2 and position < $3 order by position desc limit $4
