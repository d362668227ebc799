-- Records when keys were last used, and moves keys under an older pepper to the current one. Rows are locked in one order,
-- so that two replicas that write the same keys do not deadlock.
-- @param {Json} $1:uses
with used as (
  select * from json_to_recordset($1) as used (
    id text, project_id text, used_at timestamptz, old_digest bytea /* null */, new_digest bytea /* null */,
    pepper_version smallint /* null */)
), locked as (
  select key.project_id, key.id from api_keys key join used using (project_id, id)
  order by key.id for update of key
)
update api_keys key set
  last_used_at = greatest(key.last_used_at, used.used_at),
  digest = case when key.digest = used.old_digest then used.new_digest else key.digest end,
  pepper_version = case when key.digest = used.old_digest then used.pepper_version else key.pepper_version end
from used join locked using (project_id, id)
where key.id = used.id and key.project_id = used.project_id
