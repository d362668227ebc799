-- Sets the urls of default endpoints to those of their projects; an older version changes nothing. A missing endpoint is
-- created with a secret that is in force at once and shown later. A list may hold an endpoint only once.
-- @param {Json} $1:endpoints
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, name text, sealed bytea, url text /* null */, version int)
), synced as (
  insert into endpoints (id, project_id, mode, name, url, project_version)
  select id, project_id, mode, name, url, version from input
  on conflict (project_id, name) do update
    set url = excluded.url, project_version = excluded.project_version, updated_at = now()
    where endpoints.project_version < excluded.project_version
  returning id
)
insert into secrets (project_id, endpoint_id, seq, sealed)
select project_id, id, 1, sealed from input join synced using (id)
