-- Deletes a batch of 1000 expired links.
-- @param $1:before
delete from one_time_links where ctid = any (array(
  select ctid from one_time_links where expires_at < $1
  order by expires_at limit 1000 for update skip locked))
