-- Uses a passkey: opens a sign-in, or records that the member of one is there. Nothing happens for a challenge that was
-- answered before, nor for a passkey whose counter did not grow: a copy of it may be in use.
-- @param $1:challenge
-- @param $2:expiresAt
-- @param $3:credentialId
-- @param $4:counter
-- @param $5:now
-- @param $6:backedUp
-- @param $7:digest
-- @param $8:isNew
-- @param $9:agent?
with answered as (
  insert into used_challenges (digest, expires_at) values ($1, $2) on conflict do nothing returning digest
), used as (
  update passkeys passkey set counter = $4::bigint, last_used_at = $5, backed_up = $6 from members member, answered
  where passkey.credential_id = $3 and (passkey.counter < $4::bigint or (passkey.counter = 0 and $4::bigint = 0))
    and member.id = passkey.member_id and member.disabled_at is null
  returning passkey.member_id
), opened as (
  insert into member_sessions (digest, member_id, method, created_at, seen_at, confirmed_at, agent)
  select $7::bytea, member_id, 'passkey', $5::timestamptz, $5::timestamptz, $5::timestamptz, $9::text from used where $8::boolean
  returning digest
), confirmed as (
  update member_sessions session set confirmed_at = $5 from used
  where not $8::boolean and session.digest = $7 and session.member_id = used.member_id and session.ended_at is null
  returning session.digest
)
select digest from opened union all select digest from confirmed
