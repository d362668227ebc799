-- Deletes codes that were not used in time.
-- @param $1:expiredUntil
-- @param $2:limit
delete from handoffs where payment_id in (
  select payment_id from handoffs where expires_at <= $1 order by expires_at limit $2 for update skip locked
)
