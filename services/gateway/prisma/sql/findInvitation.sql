-- Finds an invitation by its link, and whether its address belongs to somebody who signs in otherwise.
-- @param $1:digests
-- @param $2:now
select invitation.email as "email!", invitation.expires_at as "expires_at!", project.name as "project_name!", inviter.name as inviter_name,
  exists (
    select from members member where member.email = invitation.email and (member.disabled_at is not null
      or exists (select from passkeys where member_id = member.id)
      or exists (select from identities where member_id = member.id)
      or exists (select from memberships other where other.member_id = member.id and other.project_id <> invitation.project_id))
  ) as "is_known!"
from invitations invitation join projects project on project.id = invitation.project_id
left join members inviter on inviter.id = invitation.invited_by
where invitation.digest = any($1) and invitation.expires_at > $2
