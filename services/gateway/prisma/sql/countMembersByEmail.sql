-- Counts the members of a project with one of these addresses.
-- @param $1:projectId
-- @param $2:emails
select count(*)::int as "count!" from members member
  join memberships membership on membership.member_id = member.id and membership.project_id = $1
where member.email = any($2) and member.disabled_at is null
