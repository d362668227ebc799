-- Stores one intent per refund or settlement, however often its event comes.
-- @param $1:intents
-- @param $2:now
insert into intents (subject_id, project_id, mode, request_id, kind, payment_id, chain_id, source, destination,
  currency, decimals, base_amount, owed_since, version, next_at, created_at)
select i.*, $2::timestamptz, $2::timestamptz
from json_to_recordset($1) as i (subject_id text, project_id text, mode smallint, request_id text,
  kind text, payment_id text /* null */, chain_id bigint, source text, destination text, currency text, decimals smallint,
  base_amount numeric, owed_since timestamptz, version int)
on conflict (project_id, mode, subject_id) do nothing
