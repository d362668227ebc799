-- Deletes watches that ended before a time, and those with a deposit address that ended before an earlier one. A watch
-- that changes meanwhile stays: it has another place then.
-- @param $1:endedBefore
-- @param $2:depositsEndedBefore
-- @param $3:max
delete from watches where ctid = any(array(
  (select w.ctid from watches w where w.pay_to is null and w.ends_at < $1 order by w.ends_at limit $3)
  union all
  (select w.ctid from watches w where w.pay_to is not null and w.ends_at < $2 order by w.ends_at limit $3)))
