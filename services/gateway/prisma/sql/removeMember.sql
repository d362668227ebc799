-- Removes a member with the invitations that the member made, or an invitation.
-- @param $1:projectId
-- @param $2:id
with removed as (
  delete from memberships where project_id = $1 and member_id = $2
)
delete from invitations where project_id = $1 and (id = $2 or invited_by = $2)
