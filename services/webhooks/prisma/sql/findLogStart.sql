-- Finds the delivery after which a list continues, if it belongs to one of the endpoints.
-- @param $1:id
-- @param $2:endpointIds
-- @param $3:projectId
-- @param $4:mode
select deliveries.id, deliveries.created_at
from deliveries join events on events.id = deliveries.event_id and events.day = deliveries.day
where deliveries.id = $1 and deliveries.endpoint_id = any($2) and events.project_id = $3 and events.mode = $4
