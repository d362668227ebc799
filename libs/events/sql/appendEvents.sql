-- Writes events into the outbox. Hot statements write them themselves, together with the change.
-- @param {Json} $1:events
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload
from json_to_recordset($1) as input (
  event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
