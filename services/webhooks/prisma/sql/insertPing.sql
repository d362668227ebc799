-- Stores an event for one endpoint alone, without a position in the feed.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
-- @param $4:type
-- @param $5:endpointId
-- @param $6:body
-- @param $7:occurredAt
with stored as (
  insert into events (id, project_id, mode, type, resource_id, sequence, body, occurred_at)
  values ($1, $2, $3, $4, $5, 0, $6, $7) returning id, day
)
insert into deliveries (event_id, day, endpoint_id, next_attempt_at)
select id, day, $5, now() from stored returning id
