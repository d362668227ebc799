-- Adds the next secret of an endpoint, replaces one that is not in force yet and removes those before the current one.
-- The endpoint's row changes too, so that its version changes and workers read it again.
-- @param $1:endpointId
-- @param $2:projectId
-- @param $3:mode
-- @param $4:sealed
-- @param $5:overlapSeconds
with endpoint as (
  update endpoints set updated_at = now() where id = $1 and project_id = $2 and mode = $3 returning project_id, id
), current as (
  select max(seq) filter (where active_at <= now()) as seq, max(seq) as newest
  from secrets where project_id = $2 and endpoint_id = $1
), removed as (
  delete from secrets using endpoint, current
  where secrets.project_id = endpoint.project_id and secrets.endpoint_id = endpoint.id
    and (secrets.active_at > now() or secrets.seq < current.seq)
)
insert into secrets (project_id, endpoint_id, seq, sealed, shown_at, active_at)
select endpoint.project_id, endpoint.id, current.newest + 1, $4, now(),
  date_trunc('milliseconds', now() + $5 * interval '1 second')
from endpoint, current
