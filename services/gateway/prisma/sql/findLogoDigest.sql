-- Finds the digest of a project's logo, if the project's branding still has the address of the logo.
-- @param $1:projectId
select logo.digest from logos logo join projects project on project.id = logo.project_id
where logo.project_id = $1 and project.branding_config ->> 'logoUrl' = logo.source_url
