-- Revokes a key unless it is the last unrestricted secret key of its mode. The candidates are locked in one order, so the
-- second of two concurrent revocations sees the first. A rolled key does not count, because its successor does.
-- @param $1:id
-- @param $2:projectId
-- @param $3:revokedAt
with unrestricted as (
  select id, mode from api_keys
  where project_id = $2 and type = 'secret' and scopes = '{all}'
    and revoked_at is null and expires_at is null
  order by id for update
), revoked as (
  update api_keys key set revoked_at = $3
  where key.id = $1 and key.project_id = $2 and key.revoked_at is null and (
    key.id not in (select id from unrestricted)
    or (select count(*) from unrestricted other where other.mode = key.mode) > 1)
  returning 1
)
select (select count(*)::int from revoked) as "revoked!",
  (select mode from unrestricted where id = $1) as mode
