-- Follows keys to the end of their successors. A key has at most one successor and one predecessor, so two keys of one
-- family end in the same key.
-- @param $1:projectId
-- @param $2:ids
with recursive line as (
  select id as start, id, successor_id from api_keys where project_id = $1 and id = any($2)
  union all
  select line.start, next.id, next.successor_id
  from line join api_keys next on next.project_id = $1 and next.id = line.successor_id
)
select count(*)::int as "keys!", count(distinct id)::int as "families!" from line where successor_id is null
