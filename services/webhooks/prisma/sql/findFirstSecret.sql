-- Finds the first secret of an endpoint.
-- @param $1:projectId
-- @param $2:endpointId
select sealed from secrets where project_id = $1 and endpoint_id = $2 and seq = 1
