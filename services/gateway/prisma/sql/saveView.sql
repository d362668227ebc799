-- Saves a view of a member, or changes the one of this name. The project is locked, so that the count stays true.
-- @param $1:projectId
-- @param $2:memberId
-- @param $3:name
-- @param $4:address
-- @param $5:isShared
-- @param $6:viewsMax
insert into saved_views (project_id, member_id, name, address, is_shared)
select $1, $2, $3, $4, $5
where exists (select from saved_views where project_id = $1 and member_id = $2 and name = $3)
  or (select count(*) from saved_views where project_id = $1 and member_id = $2) < $6::int
on conflict (project_id, member_id, name) do update set address = excluded.address, is_shared = excluded.is_shared
returning name
