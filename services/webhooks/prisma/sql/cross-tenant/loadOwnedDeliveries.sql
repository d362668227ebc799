-- Reads deliveries that a worker owns.
-- @unprepared
-- @param $1:ids
-- @param $2:owner
select deliveries.id, deliveries.day, deliveries.endpoint_id, deliveries.attempts,
  (select xmin::text from endpoints where endpoints.id = deliveries.endpoint_id) as endpoint_version,
  events.id as event_id, events.project_id, events.request_id, events.mode, events.type, events.resource_id,
  events.sequence, events.body, events.included,
  (select include from endpoints where endpoints.id = deliveries.endpoint_id) as include,
  events.occurred_at, deliveries.redeliveries,
  greatest(0, extract(epoch from deliveries.next_attempt_at - now()) * 1000)::float8 as "wait_ms!"
from deliveries join events on events.id = deliveries.event_id and events.day = deliveries.day
where deliveries.id = any($1) and deliveries.owner = $2 and deliveries.state = 'pending'
order by deliveries.next_attempt_at
