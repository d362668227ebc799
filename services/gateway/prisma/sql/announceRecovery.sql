-- Stores a mail to each owner of the member's projects, at most 200.
-- @param $1:memberId
-- @param $2:subject
-- @param $3:body
-- @param $4:now
insert into mails (recipient, subject, body, created_at, due_at)
select distinct owner.email, $2, $3, $4::timestamptz, $4::timestamptz
from memberships mine
  join memberships other on other.project_id = mine.project_id and other.live_role = 'owner'
  join members owner on owner.id = other.member_id and owner.disabled_at is null
where mine.member_id = $1
limit 200
