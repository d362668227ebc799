-- Uses a link up and stores the sign-in that it opens. A link that is unknown, used, expired or of a disabled member opens
-- nothing. A member who has a passkey already has lost it.
-- @param $1:linkDigests
-- @param $2:digest
-- @param $3:now
-- @param $4:agent?
with used as (
  update one_time_links link set used_at = $3 from members member
  where link.digest = any($1) and link.used_at is null and link.expires_at > $3
    and member.id = link.member_id and member.disabled_at is null
  returning link.member_id, member.name, member.email
), opened as (
  insert into member_sessions (digest, member_id, method, created_at, seen_at, agent)
  select $2::bytea, member_id, 'link', $3::timestamptz, $3::timestamptz, $4::text from used
)
select member_id, name, email, exists (select from passkeys where member_id = used.member_id) as "has_passkey!" from used
