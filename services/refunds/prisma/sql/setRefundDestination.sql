-- Stores the destination of a refund that needs one, with the event. It changes no sum, so it needs no lock.
-- @param {Json} $1:refunds
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, destination_address text,
    destination_source text /* null */,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), changed as (
  update refunds as refund set
    destination_address = input.destination_address, destination_source = input.destination_source, needs = null
  from input
  where refund.project_id = input.project_id and refund.id = input.id and refund.mode = input.mode
    and refund.status = 'created' and refund.needs = 'destination'
  returning input.event_id, input.event_type, input.topic, input.event_key, input.request_id, input.payload
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from changed;
