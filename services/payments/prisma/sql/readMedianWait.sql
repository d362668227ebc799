-- How long shoppers waited from the creation of a payment to its confirmation: the median of the newest 100 confirmed
-- payments of a project that were created in a period. Each kind of payment is read as far as those may reach into it.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:from
-- @param $4:to
with kind as (
  select distinct variant, chain_id from payment_totals where project_id = $1 and mode = $2 and status = 'confirmed'
)
select round(percentile_cont(0.5) within group (order by extract(epoch from confirmed_at - created_at)))::int as seconds
from (
  select reached.created_at, reached.confirmed_at
  from kind cross join lateral (
    select created_at, confirmed_at from payments
    where payment_kind_key(project_id, mode, variant, status, chain_id)
        = payment_kind_key($1, $2::smallint, kind.variant, 'confirmed', kind.chain_id)
      and project_id = $1 and mode = $2::smallint and variant = kind.variant and status = 'confirmed'
      and chain_id = kind.chain_id and created_at >= $3::timestamptz and created_at < $4::timestamptz
    order by created_at desc limit 100
  ) reached
  order by reached.created_at desc limit 100
) newest
