-- Stores events with a delivery for each endpoint that receives them, once however often they arrive. An endpoint without
-- a selection receives all types but those by name. Deliveries belong to the owner, except those of full endpoints. Those
-- of disabled endpoints are parked and not returned.
-- @param {Json} $1:events In the order of their places.
-- @param $2:owner? Without an owner all deliveries wait in the table.
-- @param $3:full Endpoints whose deliveries wait in the table.
with given as materialized (
  select * from json_to_recordset($1) as given (
    id text, project_id text, mode smallint, type text, resource_id text, sequence int, body bytea,
    included bytea /* null */, occurred_at timestamptz, request_id text, place int, by_name boolean)
), days as materialized (
  -- Once for each day, because looking for its partition costs about 10 us.
  select starts_at, get_event_day(starts_at) as day from (
    select distinct date_bin('24 hours', occurred_at, '2000-01-01 00:00+00'::timestamptz) as starts_at from given
  ) started
), input as (
  select given.*, days.day from given
  join days on days.starts_at = date_bin('24 hours', given.occurred_at, '2000-01-01 00:00+00'::timestamptz)
), drawn as (
  -- In one order of projects, so that two statements cannot deadlock. A duplicate event leaves its position unused.
  insert into event_feeds as feed (project_id, mode, last_position)
  select project_id, mode, count(*) from input group by 1, 2 order by 1, 2
  on conflict (project_id, mode) do update set last_position = feed.last_position + excluded.last_position
  returning project_id, mode, last_position
), including as (
  select project_id, mode from drawn cross join lateral (
    select from endpoints where endpoints.project_id = drawn.project_id and endpoints.mode = drawn.mode and include <> '{}'
    limit 1
  ) one
), stored as (
  insert into events
    (id, project_id, mode, type, resource_id, sequence, body, included, occurred_at, request_id, day, position)
  select id, project_id, mode, type, resource_id, sequence, body,
    case when (project_id, mode) in (select project_id, mode from including) then included end, occurred_at, request_id, day,
    last_position + 1 - row_number() over (partition by project_id, mode order by place desc)
  from input join drawn using (project_id, mode)
  on conflict do nothing returning id
), created as (
  insert into deliveries (event_id, day, endpoint_id, state, owner, next_attempt_at, finished_at)
  select input.id, input.day, endpoints.id, case when endpoints.enabled then 'pending' else 'parked' end,
    case when endpoints.enabled and not endpoints.id = any($3) then $2::int end,
    now() + input.place * interval '1 microsecond', case when not endpoints.enabled then now() end
  from stored join input using (id)
  join endpoints on endpoints.project_id = input.project_id and endpoints.mode = input.mode
    and endpoints.url is not null
    and (cardinality(endpoints.events) = 0 and not input.by_name or input.type = any(endpoints.events))
  order by input.place
  on conflict do nothing
  returning id, day, event_id, endpoint_id, owner, state
)
select created.id, created.day, created.event_id, created.endpoint_id, created.owner,
  endpoints.xmin::text as "endpoint_version!", endpoints.include
from created join endpoints on endpoints.id = created.endpoint_id
where created.state = 'pending'
