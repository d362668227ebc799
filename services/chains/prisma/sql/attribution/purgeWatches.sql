-- Deletes watches that ended before a time. A watch that changes meanwhile stays: it has another place then.
-- @param $1:endedBefore
-- @param $2:max
delete from watches where ctid = any(array(
  select w.ctid from watches w where w.ends_at < $1 order by w.ends_at limit $2))
