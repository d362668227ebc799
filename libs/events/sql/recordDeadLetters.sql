-- Stores events that a consumer could not handle.
-- @param $1:consumer
-- @param {Json} $2:deadLetters
insert into dead_letters (consumer, topic, event_id, payload, error)
select $1, topic, event_id, payload, error
from json_to_recordset($2) as input (topic text, event_id text /* null */, payload bytea, error text)
