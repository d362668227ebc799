-- Changes the roles of a member or of an invitation.
-- @param $1:projectId
-- @param $2:id
-- @param $3:liveRole?
-- @param $4:testRole?
with changed as (
  update memberships set live_role = $3, test_role = $4 where project_id = $1 and member_id = $2
)
update invitations set live_role = $3, test_role = $4 where project_id = $1 and id = $2
