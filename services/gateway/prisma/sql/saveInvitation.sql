-- Stores an invitation in place of an older one of the same address, whose link opens nothing from then on.
-- @param $1:projectId
-- @param $2:id
-- @param $3:email
-- @param $4:liveRole?
-- @param $5:testRole?
-- @param $6:digest
-- @param $7:invitedBy
-- @param $8:now
-- @param $9:expiresAt
-- @param $10:refundLimits
insert into invitations (project_id, id, email, live_role, test_role, digest, invited_by, created_at, expires_at, refund_limits)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (project_id, email) do update set id = excluded.id, live_role = excluded.live_role,
  test_role = excluded.test_role, refund_limits = excluded.refund_limits, digest = excluded.digest, invited_by = excluded.invited_by,
  created_at = excluded.created_at, expires_at = excluded.expires_at, mailed_at = null
