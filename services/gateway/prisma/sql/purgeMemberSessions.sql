-- Deletes a batch of 1000 old sign-ins.
-- @param $1:before
delete from member_sessions where ctid = any (array(
  select ctid from member_sessions where created_at < $1
  order by created_at limit 1000 for update skip locked))
