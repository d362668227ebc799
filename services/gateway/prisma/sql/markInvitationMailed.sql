-- Notes that the mail server has taken the link of an invitation.
-- @param $1:projectId
-- @param $2:id
-- @param $3:now
update invitations set mailed_at = $3 where project_id = $1 and id = $2
