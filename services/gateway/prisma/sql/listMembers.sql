-- Lists at most 200 members of a project and open invitations, the oldest first.
-- @param $1:projectId
select membership.member_id as "id!", member.email as "email!", member.name, membership.live_role, membership.test_role,
  membership.refund_limits as "refund_limits!",
  membership.invited_by as "invited_by!", membership.created_at as "created_at!", null::timestamptz as expires_at,
  (select count(*) > 0 from passkeys where member_id = membership.member_id) as "has_passkey!",
  greatest(
    (select max(seen_at) from member_sessions where member_id = membership.member_id),
    (select max(last_used_at) from passkeys where member_id = membership.member_id)
  ) as seen_at, null::timestamptz as mailed_at
from (
  select member_id, live_role, test_role, refund_limits, invited_by, created_at from memberships
  where project_id = $1 order by member_id limit 200
) membership
  cross join lateral (
    select email, name, disabled_at from members where id = membership.member_id offset 0
  ) member
where member.disabled_at is null
union all
select id, email, null, live_role, test_role, refund_limits, invited_by, created_at, expires_at, false, null, mailed_at
from invitations where project_id = $1
order by 8, 1 limit 200
