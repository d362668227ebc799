-- Stores a settlement and its event. A trigger rejects a settlement that its wallet does not cover.
-- @param {Json} $1:settlements
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, status text, chain_id bigint, currency text, amount text,
    base_amount numeric, decimals smallint, source_address text, destination_address text, requested_by text,
    metadata_json text /* null */, created_at timestamptz, service_signed boolean,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), created as (
  insert into settlements (
    id, project_id, mode, status, chain_id, currency, amount, base_amount, decimals, source_address,
    destination_address, requested_by, metadata_json, created_at, service_signed
  )
  select
    id, project_id, mode, status, chain_id, currency, amount, base_amount, decimals, source_address,
    destination_address, requested_by, metadata_json, created_at, service_signed
  from input
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from input;
