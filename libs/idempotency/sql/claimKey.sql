-- Stores an unused key without a response. The lock of the key is held until the transaction ends.
-- @param $1:scope
-- @param $2:key
-- @param $3:fingerprint
with turn as materialized (
  select array[$1::text] as scopes, array[$2::text] as keys
  where pg_try_advisory_xact_lock(hashtextextended($1::text || ' ' || $2::text, 0))
)
insert into idempotency_keys (scope, key, fingerprint, response)
select unused.scope, unused.key, $3::bytea, ''::bytea from turn, unused_keys(scopes, keys) unused
on conflict do nothing
