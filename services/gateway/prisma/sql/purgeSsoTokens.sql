-- Deletes one batch of expired tokens.
-- @param $1:before
-- @param $2:rowsMax
delete from sso_tokens where (project_id, digest) in (
  select project_id, digest from sso_tokens where expires_at < $1
  order by expires_at limit $2 for update skip locked)
