-- Counts due deliveries of an endpoint that no worker has in memory, at most 10,000. The caller has proven whose endpoint
-- it is.
-- @param $1:endpointId
select count(*)::int as "count!" from (
  select from deliveries where endpoint_id = $1 and state = 'pending' and owner is null and next_attempt_at <= now()
  limit 10000
) waiting
