-- Changes the given fields of an endpoint of a project and mode.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
-- @param $4:url?
-- @param $5:events?
-- @param $6:signatureScheme?
-- @param $7:enabled?
-- @param $8:concurrencyMax?
-- @param $9:include?
update endpoints set url = coalesce($4, url), events = coalesce($5, events),
  signature_scheme = coalesce($6, signature_scheme), enabled = coalesce($7, enabled),
  concurrency_max = coalesce($8, concurrency_max), include = coalesce($9, include), updated_at = now()
where id = $1 and project_id = $2 and mode = $3
