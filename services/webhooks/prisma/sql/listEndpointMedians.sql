-- Lists how long the requests to each endpoint of a project and mode took: the median of the attempts of its newest 100
-- deliveries of the last days.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:since
select endpoint.id, round(median.duration_ms)::int as "median_ms!"
from endpoints endpoint
cross join lateral (
  select percentile_cont(0.5) within group (order by attempts.duration_ms) as duration_ms
  from (
    select id, day from deliveries
    where endpoint_id = endpoint.id and created_at > $3 and day > $3
    order by created_at desc, id desc limit 100
  ) newest
  join attempts on attempts.delivery_id = newest.id and attempts.day = newest.day and attempts.day > $3
) median
where endpoint.project_id = $1 and endpoint.mode = $2 and median.duration_ms is not null
