-- Inserts a customer together with its event.
-- @param {Json} $1:customers
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, wallet_address text, email text /* null */,
    display_name text /* null */, metadata_json text /* null */, created_at timestamptz, updated_at timestamptz,
    version integer,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), events as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select event_id, event_type, topic, event_key, request_id, payload from input
)
insert into customers (id, project_id, mode, wallet_address, email, display_name, metadata_json, created_at,
  updated_at, version)
select id, project_id, mode, wallet_address, email, display_name, metadata_json, created_at, updated_at, version
from input
