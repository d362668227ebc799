-- Compares a page of balances with their refunds, and with the credits of their payments: what can be refunded is what was
-- received less the refunds that have not failed.
-- @param $1:projectId
-- @param $2:paymentId
-- @param $3:rowsMax
with page as (
  select project_id, payment_id, received, payment_version, reserved, completed, surplus_reserved, surplus_completed,
    refunds
  from refund_balances
  where (project_id, payment_id) > ($1, $2)
  order by project_id, payment_id limit $3
)
select page.project_id, page.payment_id,
  (page.reserved, page.completed, page.surplus_reserved, page.surplus_completed, page.refunds)
    is distinct from (rows.reserved, rows.completed, rows.surplus_reserved, rows.surplus_completed, rows.refunds)
    or exists (
      select from wallet_credits credit
      where credit.payment_id = page.payment_id and (credit.version > page.payment_version
        or (credit.version = page.payment_version and credit.base_amount <> page.received))
    ) as "is_broken!"
from page cross join lateral (
  select coalesce(sum(base_amount) filter (where status <> 'failed'), 0) as reserved,
    coalesce(sum(base_amount) filter (where status = 'completed'), 0) as completed,
    coalesce(sum(base_amount) filter (where status <> 'failed' and surplus), 0) as surplus_reserved,
    coalesce(sum(base_amount) filter (where status = 'completed' and surplus), 0) as surplus_completed,
    count(*) as refunds
  from refunds where project_id = page.project_id and payment_id = page.payment_id
) rows
order by page.project_id, page.payment_id;
