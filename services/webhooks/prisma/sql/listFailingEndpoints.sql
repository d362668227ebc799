-- Lists the endpoints of a project and mode whose last delivery failed, and those that the service has disabled. Of each
-- it reads the newest 100 deliveries of the last days.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:since
select endpoint.id, endpoint.name, endpoint.url, endpoint.events, endpoint.signature_scheme, endpoint.concurrency_max, endpoint.include,
  endpoint.enabled, endpoint.disabled_reason, endpoint.created_at, endpoint.updated_at,
  find_next_secret_at(endpoint) as next_secret_at, failing.failures as "failures!", failing.since as failing_since
from endpoints endpoint
cross join lateral (
  select count(*)::int as failures, min(created_at) as since from (
    select created_at, count(*) filter (where state = 'delivered') over (order by created_at desc, id desc) as delivered
    from (
      select id, state, created_at from deliveries
      where endpoint_id = endpoint.id and created_at > $3 and day > $3 and state <> 'pending'
      order by created_at desc, id desc limit 100
    ) newest
  ) counted where delivered = 0
) failing
where endpoint.project_id = $1 and endpoint.mode = $2 and endpoint.url is not null
  and (endpoint.disabled_reason is not null or (endpoint.enabled and failing.failures > 0))
