-- Deletes hashes that did not count and were judged before a time.
-- @param $1:judgedBefore
-- @param $2:max
delete from submissions where ctid = any(array(
  select s.ctid from submissions s where s.outcome <> 'counted' and s.judged_at < $1 order by s.judged_at limit $2))
