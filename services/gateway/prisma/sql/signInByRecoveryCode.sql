-- Uses a recovery code up and stores the sign-in that it opens, in which the member can only add a passkey.
-- @param $1:email
-- @param $2:codeDigests
-- @param $3:digest
-- @param $4:now
-- @param $5:agent?
with used as (
  update recovery_codes code set used_at = $4 from members member
  where code.digest = any($2) and code.used_at is null and member.id = code.member_id
    and member.email = $1 and member.disabled_at is null
  returning code.member_id, member.name, member.email
), opened as (
  insert into member_sessions (digest, member_id, method, created_at, seen_at, agent)
  select $3::bytea, member_id, 'recovery', $4::timestamptz, $4::timestamptz, $5::text from used
)
select member_id, name, email from used
