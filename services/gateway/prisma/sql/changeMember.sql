-- Changes the roles and limits of a member or of an invitation.
-- @param $1:projectId
-- @param $2:id
-- @param $3:liveRole?
-- @param $4:testRole?
-- @param $5:refundLimits
with changed as (
  update memberships set live_role = $3, test_role = $4, refund_limits = $5 where project_id = $1 and member_id = $2
)
update invitations set live_role = $3, test_role = $4, refund_limits = $5 where project_id = $1 and id = $2
