-- Deletes watches that expired before a time. A watch that changes meanwhile stays: it has another place then.
-- @param $1:expiredBefore
-- @param $2:max
delete from watches where ctid = any(array(
  select w.ctid from watches w where w.expires_at < $1 order by w.expires_at limit $2))
