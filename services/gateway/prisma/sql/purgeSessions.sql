-- Deletes a batch of 1000 expired sessions. By their place in the table, so that a batch never reads the whole of it.
-- @param $1:before
delete from sessions where ctid = any (array(
  select ctid from sessions where expires_at < $1
  order by expires_at limit 1000 for update skip locked))
