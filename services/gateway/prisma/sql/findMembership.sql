-- Finds what a member may do in a project, with the settings of the project. Scopes are those of roles of the project.
-- @param $1:projectId
-- @param $2:memberId
select membership.live_role, membership.test_role, membership.refund_limits,
  (select scopes from roles where project_id = $1 and name = membership.live_role) as live_scopes,
  (select scopes from roles where project_id = $1 and name = membership.test_role) as test_scopes,
  project.allowed_origins, project.payment_lifetime_minutes, project.unnamed_transfers, project.variant,
  project.deposit_addresses, project.wallets,
  to_char(project.api_version, 'YYYY-MM-DD') as "version!"
from memberships membership join projects project on project.id = membership.project_id
where membership.project_id = $1 and membership.member_id = $2
