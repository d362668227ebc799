-- Erases a customer that is still at the version the erasure was decided on, together with its event, and replaces the
-- stored responses that show it.
-- The id salts the hash, so that two erased records of one person cannot be linked. A stored response is replaced and
-- not deleted, because a creation repeated under its key would create the person again.
-- @param {Json} $1:customers
-- @param $2:responseStart The first 32 bytes of each response that shows the customer.
-- @param $3:response
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, updated_at timestamptz, version integer,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), erased as (
  update customers customer
  set wallet_address = 'sha256:' || encode(
      sha256(convert_to(customer.id || ':' || lower(customer.wallet_address), 'UTF8')), 'hex'),
    email = null, display_name = null, metadata_json = null,
    deleted_at = input.updated_at, updated_at = input.updated_at, version = input.version
  from input
  where customer.project_id = input.project_id and customer.id = input.id and customer.mode = input.mode
    and customer.version = input.version - 1 and customer.deleted_at is null
  returning customer.id
), replaced as (
  update idempotency_keys set response = $3 from erased where substr(response, 1, 32) = $2::bytea
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from input where id in (select id from erased)
