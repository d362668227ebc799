-- Finds when the link of an invitation was mailed.
-- @param $1:projectId
-- @param $2:id
select mailed_at from invitations where project_id = $1 and id = $2
