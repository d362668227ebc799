-- Deletes a batch of 1000 mails that no mail server has taken in time.
-- @param $1:before
delete from mails where ctid = any (array(
  select ctid from mails where created_at < $1
  order by created_at limit 1000 for update skip locked))
