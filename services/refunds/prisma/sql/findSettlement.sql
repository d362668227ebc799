-- A settlement of a tenant.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:id
select settlement.* from settlements settlement where project_id = $1 and mode = $2 and id = $3;
