-- Counts deliveries of an endpoint that were not delivered, at most 10,000. The caller has proven whose endpoint it is.
-- @param $1:endpointId
-- @param $2:since
-- @param $3:until?
select count(*)::int as "count!" from (
  select from deliveries
  where endpoint_id = $1 and created_at >= $2 and created_at < coalesce($3::timestamptz, 'infinity') and state in ('failed', 'parked') and not exists (
    select from deliveries later
    where later.event_id = deliveries.event_id and later.day = deliveries.day
      and later.endpoint_id = deliveries.endpoint_id and later.redeliveries > deliveries.redeliveries
  ) limit 10000
) undelivered
