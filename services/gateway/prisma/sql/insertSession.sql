-- Stores a session in the free or oldest of the subject's five slots, and marks its token as exchanged. A token that was
-- exchanged before violates its primary key, which undoes both.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subject
-- @param $4:digest
-- @param $5:wallet?
-- @param $6:ssoVersion
-- @param $7:createdAt
-- @param $8:expiresAt
-- @param $9:tokenDigest
-- @param $10:tokenExpiresAt
with living as (
  select slot, created_at from sessions
  where project_id = $1 and mode = $2 and subject = $3 and sso_version = $6 and expires_at > $7
), chosen as (
  select slot from generate_series(1, 5) as slot left join living using (slot)
  order by created_at nulls first, slot limit 1
), made as (
  insert into sessions
    (project_id, mode, subject, slot, digest, wallet_address, sso_version, created_at, expires_at)
  select $1, $2, $3, slot, $4::bytea, $5::text, $6, $7, $8::timestamptz from chosen
  on conflict (project_id, mode, subject, slot) do update set
    digest = excluded.digest, wallet_address = excluded.wallet_address, sso_version = excluded.sso_version,
    created_at = excluded.created_at, expires_at = excluded.expires_at
)
insert into sso_tokens (project_id, digest, expires_at) values ($1, $9, $10)
