-- Finds the default endpoint, and its secret unless it was shown or replaced: only one caller ever gets the secret.
-- @param $1:projectId
-- @param $2:name
with endpoint as (
  select project_id, id from endpoints where project_id = $1 and name = $2
), shown as (
  update secrets set shown_at = now() from endpoint
  where secrets.project_id = endpoint.project_id and secrets.endpoint_id = endpoint.id
    and secrets.seq = 1 and secrets.shown_at is null
    and not exists (
      select from secrets later
      where later.project_id = endpoint.project_id and later.endpoint_id = endpoint.id and later.seq > 1
    )
  returning secrets.sealed
)
select endpoint.id as "id!", shown.sealed from endpoint left join shown on true
