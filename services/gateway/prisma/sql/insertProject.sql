-- Stores a project with its first keys and its event.
-- @param $1:id
-- @param $2:name
-- @param $3:apiVersion
-- @param $4:createdAt
-- @param $5:variant?
-- @param {Json} $6:keys
-- @param {Json} $7:events
with project as (
  insert into projects (id, name, api_version, created_at, updated_at, variant)
  values ($1, $2, $3::text::date, $4, $4, $5)
  returning id
), keys as (
  insert into api_keys
    (id, project_id, type, mode, scopes, digest, pepper_version, prefix, last4, created_at, created_by)
  select key.id, project.id, key.type, key.mode, '{all}', key.digest, key.pepper_version, key.prefix, key.last4, $4, 'operator'
  from project, json_to_recordset($6) as key (
    id text, type text, mode text, digest bytea, pepper_version smallint, prefix text, last4 text)
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload
from json_to_recordset($7) as event (
  event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
