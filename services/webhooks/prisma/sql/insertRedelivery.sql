-- Adds a delivery of the same event to the same endpoint. A redelivery begins only when the newest one has finished, and
-- the unique key lets one of two requests create it. The caller has proven whose delivery it is.
-- @param $1:id
with newest as (
  select event_id, day, endpoint_id, redeliveries, state from deliveries
  where (event_id, endpoint_id, day) = (select event_id, endpoint_id, day from deliveries where id = $1)
  order by redeliveries desc limit 1
)
insert into deliveries (event_id, day, endpoint_id, redeliveries, next_attempt_at)
select event_id, day, endpoint_id, redeliveries + 1, now() from newest where state <> 'pending'
on conflict do nothing returning id
