-- Records that the member of a sign-in is there. -- A challenge that was answered before opens nothing, nor a
-- passkey whose counter did not grow: a copy of it may be in use.
-- @param $1:challenge
-- @param $2:expiresAt
-- @param $3:credentialId
-- @param $4:counter
-- @param $5:now
-- @param $6:backedUp
-- @param $7:digest
with answered as (
  insert into used_challenges (digest, expires_at) values ($1, $2) on conflict do nothing returning digest
), used as (
  update passkeys passkey set counter = $4::bigint, last_used_at = $5, backed_up = $6 from members member, answered
  where passkey.credential_id = $3 and (passkey.counter < $4::bigint or (passkey.counter = 0 and $4::bigint = 0))
    and member.id = passkey.member_id and member.disabled_at is null
  returning passkey.member_id
)
update member_sessions session set confirmed_at = $5 from used
where session.digest = $7 and session.member_id = used.member_id and session.ended_at is null
