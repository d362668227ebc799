-- Writes what became of submitted hashes, each with its event where it has one. An outcome of an older attempt is not written.
-- @param {Json} $1:outcomes
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, mode smallint, subject_id text, tx_hash text, attempt integer, outcome text /* null */, epoch integer,
    event_id text /* null */, event_type text /* null */, topic text /* null */, event_key text /* null */,
    request_id text /* null */, payload bytea /* null */)
), written as (
  update submissions s set outcome = i.outcome, epoch = i.epoch,
    judged_at = case when i.outcome is null then null else $2::timestamptz end
  from input i
  where s.project_id = i.project_id and s.mode = i.mode and s.subject_id = i.subject_id and s.tx_hash = i.tx_hash
    and s.attempt = i.attempt
  returning i.event_id, i.event_type, i.topic, i.event_key, i.request_id, i.payload
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from written where event_id is not null
