-- Stores payments whose idempotency key is unused, with their events, and returns their ids. A key in use by another
-- statement is skipped, because the other payments of the list must not wait.
-- @param {Json} $1:payments
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, variant smallint, status text, amount text, base_amount numeric,
    decimals smallint, currency text, chain_id bigint, recipient_address text, pay_to text /* null */,
    description text /* null */, metadata_json text /* null */, qr_mode boolean, order_id text /* null */,
    customer_id text /* null */, return_url text /* null */, cancel_url text /* null */, locale text /* null */,
    display_amount text /* null */, display_currency text /* null */, unnamed_transfers text /* null */,
    source text /* null */, requested_by text /* null */, secret_version smallint, expires_at timestamptz,
    created_at timestamptz,
    idem_scope text /* null */, idem_key text /* null */, idem_fingerprint bytea /* null */,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), locked as materialized (
  select * from input
  where idem_key is not null and pg_try_advisory_xact_lock(hashtextextended(idem_scope || ' ' || idem_key, 0))
), unused as materialized (
  select unused.* from (
    select array_agg(idem_scope) as scopes, array_agg(idem_key) as keys from locked
  ) own, unused_keys(scopes, keys) unused
), keys as (
  insert into idempotency_keys (scope, key, fingerprint, response)
  select idem_scope, idem_key, idem_fingerprint, convert_to(id, 'UTF8')
  from locked join unused on unused.scope = idem_scope and unused.key = idem_key
  order by idem_scope, idem_key
  on conflict do nothing returning scope, key
), fresh as (
  select * from input where idem_key is null or (idem_scope, idem_key) in (select scope, key from keys)
), events as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select event_id, event_type, topic, event_key, request_id, payload from fresh
)
insert into payments (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
  recipient_address, pay_to, description, metadata_json, qr_mode, order_id, customer_id, return_url, cancel_url,
  locale, display_amount, display_currency, unnamed_transfers, source, requested_by, secret_version, expires_at, created_at)
select id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
  recipient_address, pay_to, description, metadata_json, qr_mode, order_id, customer_id, return_url, cancel_url,
  locale, display_amount, display_currency, unnamed_transfers, source, requested_by, secret_version, expires_at, created_at
from fresh returning id
