-- Finds endpoints with the secret in force and the next one; an endpoint without a secret is not returned. All secrets are
-- read at once, because a look-up for each endpoint scans the table while its statistics are from when it was small.
-- @param $1:ids
with secret as materialized (
  select endpoint_id, seq, sealed, active_at <= now() as is_active from secrets where endpoint_id = any($1)
), active as materialized (
  select distinct on (endpoint_id) endpoint_id, seq, sealed from secret where is_active order by endpoint_id, seq desc
), next as materialized (
  select distinct on (endpoint_id) endpoint_id, seq, sealed from secret where not is_active
  order by endpoint_id, seq desc
)
select endpoints.id as "id!", endpoints.xmin::text as "version!", endpoints.url, endpoints.enabled as "enabled!",
  endpoints.signature_scheme as "signature_scheme!", endpoints.concurrency_max as "concurrency_max!",
  active.seq as "secret_seq!", active.sealed as "sealed!", next.seq as next_seq, next.sealed as next_sealed
from endpoints join active on active.endpoint_id = endpoints.id left join next on next.endpoint_id = endpoints.id
where endpoints.id = any($1)
