-- Writes the money of payments with the event of each.
-- @param {Json} $1:sums
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, payment_id text, turn integer, money jsonb, event_id text, event_type text, topic text,
    event_key text, request_id text, payload bytea)
), written as (
  insert into payment_sums (project_id, payment_id, turn, money)
  select project_id, payment_id, turn, money from input order by project_id, payment_id
  on conflict (project_id, payment_id) do update set turn = excluded.turn, money = excluded.money
  where payment_sums.turn < excluded.turn
  returning project_id, payment_id
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select i.event_id, i.event_type, i.topic, i.event_key, i.request_id, i.payload
from input i join written using (project_id, payment_id)
