-- Ends an intent that no transaction pays, with its event; nothing changes where it has moved.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectId
-- @param $4:from
-- @param $5:reason
-- @param $6:now
-- @param $7:events Its one event.
with ended as (
  update intents set state = 'failed', failure_reason = $5, held_reason = null, ended_at = $6
  where project_id = $1 and mode = $2 and subject_id = $3 and state = $4
  returning subject_id
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select e.* from ended cross join json_to_recordset($7) as e (event_id text, event_type text, topic text, event_key text,
  request_id text, payload bytea)
