-- What the payments of a project came to on each day of a period, by currency.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:from First day.
-- @param $4:to Last day.
-- @param $5:limit
select to_char(day, 'YYYY-MM-DD') as "day!", chain_id, currency, decimals,
  sum(started)::bigint as "started!", sum(started_base_amount)::text as "started_base_amount!",
  sum(paid)::bigint as "paid!", sum(paid_base_amount)::text as "paid_base_amount!",
  sum(received)::bigint as "received!", sum(received_base_amount)::text as "received_base_amount!",
  sum(refunded)::bigint as "refunded!", sum(refunded_base_amount)::text as "refunded_base_amount!"
from payment_sums
where project_id = $1 and mode = $2 and day >= $3::text::date and day <= $4::text::date
group by day, chain_id, currency, decimals order by day, chain_id, currency, decimals limit $5
