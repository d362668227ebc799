-- Stores events that cannot be handled; an operator decides about them.
-- @param {Json} $1:letters
-- @param $2:consumer
insert into dead_letters (consumer, topic, event_id, payload, error)
select $2, letter.topic, letter.event_id, letter.payload, letter.error
from json_to_recordset($1) as letter (topic text, event_id text, payload bytea, error text)
