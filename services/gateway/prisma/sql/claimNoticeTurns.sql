-- Claims a batch of 10 targets whose turn it is, until their next turn. An address of mail must be that of a member.
-- @param $1:now
-- @param $2:nextAt
with due as (
  select project_id, target from notice_turns where due_at <= $1 order by due_at limit 10 for update skip locked
), claimed as (
  update notice_turns turn set due_at = $2 from due
  where turn.project_id = due.project_id and turn.target = due.target
  returning turn.project_id, turn.target
)
select project_id, target, exists (
  select from members member join memberships membership on membership.member_id = member.id
  where member.email = claimed.target and membership.project_id = claimed.project_id and member.disabled_at is null
) as "is_member!" from claimed
