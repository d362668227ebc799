-- Deletes a batch of 1000 answered challenges that are expired.
-- @param $1:before
delete from used_challenges where ctid = any (array(
  select ctid from used_challenges where expires_at < $1
  order by expires_at limit 1000 for update skip locked))
