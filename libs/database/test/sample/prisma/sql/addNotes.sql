-- Adds notes to owners that exist, with an event for each.
-- @param {Json} $1:notes The notes, each with its event.
-- @param $2:createdAt
with input as (
  select * from json_to_recordset($1) as input (
    owner_id text, amount numeric(78, 0), body text /* null */, details jsonb /* null */,
    event_id text, payload bytea /* null */)
), added as (
  -- A note without a body says "none at 2$".
  insert into notes (owner_id, amount, body, created_at)
  select input.owner_id, input.amount, coalesce(input.body, input.details ->> 'body', 'none at 2$'), $2
  from input join owners owner on owner.id = input.owner_id
  returning id, owner_id, amount
), events as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select event_id, 'note.added', 'notes', owner_id, '', coalesce(payload, '\x00') from input
)
select id, owner_id, amount, body as "body?",
  (select array_agg(amount order by amount desc) from added) as "amounts!"
from added left join (select null::text as body) nothing on false
order by amount desc
