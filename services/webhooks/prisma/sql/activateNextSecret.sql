-- Puts the next secret of an endpoint in force. The endpoint's row changes too, so that workers read it again.
-- @param $1:endpointId
-- @param $2:projectId
-- @param $3:mode
with endpoint as (
  update endpoints set updated_at = now() where id = $1 and project_id = $2 and mode = $3 returning project_id, id
)
update secrets set active_at = date_trunc('milliseconds', now()) from endpoint
where secrets.project_id = endpoint.project_id and secrets.endpoint_id = endpoint.id and secrets.active_at > now()
