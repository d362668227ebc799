-- Deletes one batch of expired sessions.
-- @param $1:before
-- @param $2:rowsMax
delete from sessions where (project_id, mode, subject, slot) in (
  select project_id, mode, subject, slot from sessions where expires_at < $1
  order by expires_at limit $2 for update skip locked)
