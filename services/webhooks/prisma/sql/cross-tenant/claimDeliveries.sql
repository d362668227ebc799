-- Claims due deliveries that no worker owns, as many for each endpoint as it has room for. The form `= any(array(…))` keeps
-- the planner from scanning the table; the lateral join reads no long backlog of one endpoint.
-- @unprepared
-- @param {Json} $1:rooms
-- @param $2:owner
-- @param $3:lookaheadMs
-- @param $4:since First day to look at.
with picked as materialized (
  select delivery.id, delivery.day
  from json_to_recordset($1) as wanted (endpoint_id text, room int)
  cross join lateral (
    select id, day from deliveries
    where deliveries.endpoint_id = wanted.endpoint_id and state = 'pending' and owner is null and day >= $4
      and next_attempt_at <= now() + $3::float8 * interval '1 millisecond'
    order by next_attempt_at limit wanted.room for update skip locked
  ) delivery
), claimed as (
  update deliveries set owner = $2
  where id = any(array(select id from picked)) and day = any(array(select distinct day from picked))
    and day >= $4 and owner is null
  returning id, day, endpoint_id, attempts, redeliveries, event_id, next_attempt_at
)
select claimed.id, claimed.day, claimed.endpoint_id, claimed.attempts,
  (select xmin::text from endpoints where endpoints.id = claimed.endpoint_id) as endpoint_version,
  events.id as event_id, events.project_id, events.request_id, events.mode, events.type, events.resource_id,
  events.sequence, events.body, events.included,
  (select include from endpoints where endpoints.id = claimed.endpoint_id) as include,
  events.occurred_at, claimed.redeliveries,
  greatest(0, extract(epoch from claimed.next_attempt_at - now()) * 1000)::float8 as "wait_ms!"
from claimed join events on events.id = claimed.event_id and events.day = claimed.day and events.day >= $4
order by claimed.next_attempt_at
