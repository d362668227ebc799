-- Adds a redelivery for each delivery of an endpoint that was not delivered, at most 10,000, in their order. Concurrent
-- requests add each of them once. The caller has proven whose endpoint it is.
-- @param $1:endpointId
-- @param $2:since
-- @param $3:until?
with undelivered as (
  select event_id, day, endpoint_id, redeliveries, row_number() over (order by created_at, id) as place
  from deliveries
  where endpoint_id = $1 and created_at >= $2 and created_at < coalesce($3::timestamptz, 'infinity') and state in ('failed', 'parked') and not exists (
    select from deliveries later
    where later.event_id = deliveries.event_id and later.day = deliveries.day
      and later.endpoint_id = deliveries.endpoint_id and later.redeliveries > deliveries.redeliveries
  ) order by created_at, id limit 10000
)
insert into deliveries (event_id, day, endpoint_id, redeliveries, next_attempt_at)
select event_id, day, endpoint_id, redeliveries + 1, now() + place * interval '1 microsecond' from undelivered
on conflict do nothing
