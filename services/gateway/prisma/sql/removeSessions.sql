-- Deletes the sessions of a subject and counts those that were active.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjects
-- @param $4:now
with removed as (
  delete from sessions session using projects project
  where project.id = session.project_id and session.project_id = $1 and session.mode = $2 and session.subject = any($3)
  returning session.expires_at > $4 and session.sso_version = project.sso_version as is_active
)
select count(*) filter (where is_active)::int as "active!" from removed
