-- Removes a view of a member; of another than the caller only a shared one, and only for who may share.
-- @param $1:projectId
-- @param $2:memberId
-- @param $3:name
-- @param $4:callerId
-- @param $5:mayShare
delete from saved_views
where project_id = $1 and member_id = $2 and name = $3 and (member_id = $4 or (is_shared and $5::boolean))
returning is_shared
