-- Finds the names of keys of a project and of members.
-- @param $1:projectId
-- @param $2:ids
select id as "id!", name from api_keys where project_id = $1 and id = any($2)
union all
select id, name from members where id = any($2)
