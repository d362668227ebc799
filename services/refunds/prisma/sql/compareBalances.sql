-- Compares a page of balances with their refunds.
-- @param $1:projectId
-- @param $2:paymentId
-- @param $3:rowsMax
with page as (
  select project_id, payment_id, reserved, completed, refunds from refund_balances
  where (project_id, payment_id) > ($1, $2)
  order by project_id, payment_id limit $3
)
select page.project_id, page.payment_id,
  (page.reserved, page.completed, page.refunds) is distinct from (rows.reserved, rows.completed, rows.refunds)
    as "is_broken!"
from page cross join lateral (
  select coalesce(sum(base_amount) filter (where status <> 'failed'), 0) as reserved,
    coalesce(sum(base_amount) filter (where status = 'completed'), 0) as completed, count(*) as refunds
  from refunds where project_id = page.project_id and payment_id = page.payment_id
) rows
order by page.project_id, page.payment_id;
