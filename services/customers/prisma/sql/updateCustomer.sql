-- Changes a customer that is still at the version the change was decided on, together with its event.
-- @param {Json} $1:customers
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, wallet_address text, email text /* null */,
    display_name text /* null */, metadata_json text /* null */, updated_at timestamptz, version integer,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), changed as (
  update customers customer
  set wallet_address = input.wallet_address, email = input.email, display_name = input.display_name,
    metadata_json = input.metadata_json, updated_at = input.updated_at, version = input.version
  from input
  where customer.project_id = input.project_id and customer.id = input.id and customer.mode = input.mode
    and customer.version = input.version - 1 and customer.deleted_at is null
  returning customer.id
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from input where id in (select id from changed)
