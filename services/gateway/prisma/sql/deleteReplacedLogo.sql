-- Deletes a logo whose address is no longer in the project's branding.
-- @param $1:projectId
delete from logos logo where logo.project_id = $1 and not exists (
  select from projects where id = $1 and branding_config ->> 'logoUrl' = logo.source_url)
