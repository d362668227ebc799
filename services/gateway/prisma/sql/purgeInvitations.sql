-- Deletes a batch of 1000 expired invitations.
-- @param $1:before
delete from invitations where ctid = any (array(
  select ctid from invitations where expires_at < $1
  order by expires_at limit 1000 for update skip locked))
