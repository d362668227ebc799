-- Lists the views of a member and at most 200 that are shared in the project, by name.
-- @param $1:projectId
-- @param $2:memberId
(select member_id, name, address, is_shared from saved_views where project_id = $1 and member_id = $2)
union all
(select member_id, name, address, is_shared from saved_views
  where project_id = $1 and member_id <> $2 and is_shared order by name limit 200)
order by name, member_id
