-- Stores a passkey of a member, who is locked, and makes the sign-in it was added in one by passkey. A challenge that was
-- answered before stores nothing, nor a passkey that is known, nor one more than 20.
-- @param $1:challenge
-- @param $2:expiresAt
-- @param $3:credentialId
-- @param $4:memberId
-- @param $5:publicKey
-- @param $6:counter
-- @param $7:transports
-- @param $8:name
-- @param $9:backedUp
-- @param $10:now
-- @param $11:session
with answered as (
  insert into used_challenges (digest, expires_at) values ($1, $2) on conflict do nothing returning digest
), saved as (
  insert into passkeys (credential_id, member_id, public_key, counter, transports, name, backed_up, created_at)
  select $3::bytea, $4::text, $5::bytea, $6::bigint, $7::text[], $8::text, $9::boolean, $10::timestamptz from answered
  where (select count(*) from passkeys where member_id = $4) < 20
  on conflict do nothing
  returning member_id
)
update member_sessions session set method = 'passkey', confirmed_at = $10 from saved
where session.digest = $11 and session.member_id = saved.member_id and session.ended_at is null
