-- Stores the logo of a project, if the project's branding still has the address of the logo.
-- @param $1:projectId
-- @param $2:sourceUrl
-- @param $3:digest
-- @param $4:type
-- @param $5:content
insert into logos (project_id, source_url, digest, type, content)
select id, $2, $3, $4, $5 from projects where id = $1 and branding_config ->> 'logoUrl' = $2
on conflict (project_id) do update set source_url = excluded.source_url,
  digest = excluded.digest, type = excluded.type, content = excluded.content
