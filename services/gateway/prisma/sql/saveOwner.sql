-- Gives a member the role in both modes of a project. The member is made where the address has none.
-- @param $1:id
-- @param $2:email
-- @param $3:name
-- @param $4:projectId
-- @param $5:role
-- @param $6:invitedBy
-- @param $7:now
with member as (
  insert into members (id, email, name, created_at) values ($1, $2, $3, $7)
  on conflict (email) do update set email = excluded.email
  returning id
)
insert into memberships (project_id, member_id, live_role, test_role, invited_by, created_at)
select $4, member.id, $5, $5, $6, $7 from member
on conflict (project_id, member_id) do update set live_role = excluded.live_role, test_role = excluded.test_role
returning member_id
