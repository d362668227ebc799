-- Finds the members who made a key, or a key that made it, and so on.
-- @param $1:projectId
-- @param $2:ids
with recursive maker as (
  select id as key_id, created_by from api_keys where project_id = $1 and id = any($2)
  union
  select maker.key_id, key.created_by
  from maker join api_keys key on key.project_id = $1 and key.id = maker.created_by
)
select key_id as "key_id!", created_by as "member_id!" from maker where created_by like 'mem\_%'
