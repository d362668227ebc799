-- Finds the keys with these digests that are not revoked, each with the settings of its project. Every request runs it.
-- @param $1:digests
select key.digest, key.pepper_version, key.id, key.project_id, key.type, key.mode, key.scopes, key.expires_at,
  key.allowed_addresses,
  project.allowed_origins, project.payment_lifetime_minutes, project.unnamed_transfers, project.variant,
  project.deposit_addresses, project.wallets,
  to_char(project.api_version, 'YYYY-MM-DD') as "version!"
from api_keys key join projects project on project.id = key.project_id
where key.digest = any($1) and key.revoked_at is null
