-- Finds the sign-ins with these digests that are not ended, each with its member.
-- @param $1:digests
select session.digest, session.member_id, session.method, session.created_at, session.seen_at, session.confirmed_at,
  member.email, member.name
from member_sessions session join members member on member.id = session.member_id
where session.digest = any($1) and session.ended_at is null and member.disabled_at is null
