-- Lists secrets in the order of their key, from the one after a known secret.
-- @param $1:projectId
-- @param $2:endpointId
-- @param $3:seq
-- @param $4:limit
select project_id, endpoint_id, seq, sealed from secrets
where (project_id, endpoint_id, seq) > ($1, $2, $3) order by project_id, endpoint_id, seq limit $4
