-- Finds a delivery of an endpoint with its body and attempts.
-- @param $1:id
-- @param $2:endpointId
-- @param $3:projectId
-- @param $4:mode
select deliveries.id, deliveries.event_id, events.type, deliveries.endpoint_id, deliveries.state, deliveries.created_at,
  deliveries.redeliveries, events.body, events.included,
  (select include from endpoints where endpoints.id = deliveries.endpoint_id) as include, (
    select coalesce(json_agg(attempt order by attempt.number), '[]') from (
      select number, started_at, duration_ms, status_code, error, url, retry_after, response_complete,
        encode(response, 'base64') as response
      from attempts where delivery_id = deliveries.id and day = deliveries.day
    ) attempt
  ) as "attempts!"
from deliveries join events on events.id = deliveries.event_id and events.day = deliveries.day
where deliveries.id = $1 and deliveries.endpoint_id = $2 and events.project_id = $3 and events.mode = $4
