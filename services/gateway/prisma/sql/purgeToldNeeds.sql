-- Deletes a batch of 1000 notes about needs that were told long ago.
-- @param $1:before
delete from told_needs where ctid = any (array(
  select ctid from told_needs where told_at < $1
  order by told_at limit 1000 for update skip locked))
