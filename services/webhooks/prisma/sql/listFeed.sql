-- Lists the events of a project and mode in their order, those after a position.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:after
-- @param $4:limit
-- @param $5:withBodies Otherwise the bytes are not even read.
select id, type, resource_id, sequence, occurred_at, case when $5::boolean then body else '' end as "body!" from events
where project_id = $1 and mode = $2 and position > $3 order by position limit $4
