-- Finds a passkey of a member who is not disabled.
-- @param $1:credentialId
select passkey.member_id, passkey.public_key, passkey.counter
from passkeys passkey join members member on member.id = passkey.member_id
where passkey.credential_id = $1 and member.disabled_at is null
