-- Claims a key for a call to another service. No call takes a minute, so the owner of an older claim is gone.
-- The time of the claim tells it from a later claim of the same key.
-- @param $1:scope
-- @param $2:key
-- @param $3:fingerprint
with turn as materialized (
  select array[$1::text] as scopes, array[$2::text] as keys
  where pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))
), renewed as (
  update idempotency_keys set created_at = clock_timestamp()
  from turn
  where scope = $1 and key = $2 and response = ''::bytea and fingerprint = $3::bytea
    and created_at < clock_timestamp() - interval '1 minute'
  returning created_at
), claimed as (
  insert into idempotency_keys (scope, key, fingerprint, response, created_at)
  select unused.scope, unused.key, $3::bytea, ''::bytea, clock_timestamp()
  from turn, unused_keys(scopes, keys) unused
  on conflict do nothing
  returning created_at
)
select created_at as "claimed_at!" from renewed union all select created_at from claimed
