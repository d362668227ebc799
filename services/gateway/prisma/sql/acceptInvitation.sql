-- Accepts an invitation: for the member who is signed in and has its address; or, without a sign-in, for somebody who has
-- no other way in and no other project. An address alone must not open the account of somebody else.
-- @param $1:digests
-- @param $2:now
-- @param $3:memberId?
-- @param $4:name
-- @param $5:session
-- @param $6:agent?
with accepted as (
  delete from invitations invitation where digest = any($1) and expires_at > $2 and (
    exists (select from members member where member.id = $3 and member.email = invitation.email and member.disabled_at is null)
    or $3::text is null and not exists (
      select from members member where member.email = invitation.email and (member.disabled_at is not null
        or exists (select from passkeys where member_id = member.id)
        or exists (select from identities where member_id = member.id)
        or exists (select from memberships other
          where other.member_id = member.id and other.project_id <> invitation.project_id))))
  returning project_id, id, email, live_role, test_role, refund_limits, invited_by
), person as (
  insert into members (id, email, name, created_at) select id, email, $4::text, $2::timestamptz from accepted
  on conflict (email) do update set email = excluded.email
  returning id
), joined as (
  insert into memberships (project_id, member_id, live_role, test_role, refund_limits, invited_by, created_at)
  select project_id, person.id, live_role, test_role, refund_limits, invited_by, $2::timestamptz from accepted, person
  on conflict (project_id, member_id) do update set live_role = excluded.live_role, test_role = excluded.test_role,
    refund_limits = excluded.refund_limits
  returning project_id, member_id
), opened as (
  insert into member_sessions (digest, member_id, method, created_at, seen_at, agent)
  select $5::bytea, member_id, 'link', $2::timestamptz, $2::timestamptz, $6::text from joined where $3::text is null
)
select project_id, member_id from joined
