-- Finds the payloads and keys of events as bytes.
-- @param $1:payloads
select event_id, payload, convert_to(key, 'UTF8') as "key_bytes!", created_at
from outbox where payload = any($1) order by event_id
