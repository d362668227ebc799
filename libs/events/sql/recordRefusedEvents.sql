-- Copies the events that the bus refuses from the outbox to the dead letters.
-- @param $1:eventIds
insert into dead_letters (consumer, topic, event_id, payload, error)
select 'relay', topic, event_id, payload, 'refused by the bus' from outbox
where event_id = any($1::text[])
