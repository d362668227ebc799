-- Records that the member of a sign-in is there, who has the identity. Nothing happens for an answer that was used before.
-- @param $1:challenge
-- @param $2:expiresAt
-- @param $3:issuer
-- @param $4:subject
-- @param $5:now
-- @param $6:digest
with answered as (
  insert into used_challenges (digest, expires_at) values ($1, $2) on conflict do nothing returning digest
)
update member_sessions session set confirmed_at = $5 from answered, identities identity
where session.digest = $6 and session.ended_at is null
  and identity.issuer = $3 and identity.subject = $4 and identity.member_id = session.member_id
