-- Deletes watches that expired before a time.
-- @param $1:expiredBefore
-- @param $2:max
delete from watches where (project_id, payment_id) in (
  select project_id, payment_id from watches where expires_at < $1 order by expires_at limit $2)
