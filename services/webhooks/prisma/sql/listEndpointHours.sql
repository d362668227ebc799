-- Lists the attempts at the endpoints of a project and mode by hour; the last of the hours is the present one.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:hours
select endpoint.id as "id!", counted.hour as "hour!", counted.succeeded as "succeeded!", counted.failed as "failed!"
from endpoints endpoint
cross join lateral (
  select shown.hour, coalesce(sum(own.succeeded), 0)::int as succeeded, coalesce(sum(own.failed), 0)::int as failed
  from generate_series(
    date_trunc('hour', now(), 'UTC') - ($3::int - 1) * interval '1 hour', date_trunc('hour', now(), 'UTC'), '1 hour'
  ) as shown (hour)
  left join (
    select hour, succeeded, failed from endpoint_hours
    where endpoint_id = endpoint.id and hour > now() - $3::int * interval '1 hour'
  ) own using (hour)
  group by shown.hour
) counted
where endpoint.project_id = $1 and endpoint.mode = $2
order by endpoint.created_at desc, endpoint.id desc, counted.hour
