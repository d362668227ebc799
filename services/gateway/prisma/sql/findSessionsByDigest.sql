-- Finds the sessions with these digests whose project still trusts the issuer of the session.
-- @param $1:digests
select session.digest, session.project_id, session.mode, session.wallet_address, session.expires_at
from sessions session
join projects project on project.id = session.project_id and project.sso_version = session.sso_version
where session.digest = any($1)
