-- The next project with sums, and whether it has too many refunds to be counted at once.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:refundsMax
select next.project_id as "project_id!", next.mode as "mode!",
  coalesce((
    select sum(refunds) from refund_totals total where total.project_id = next.project_id and total.mode = next.mode
  ) > $3::bigint, false) as "is_large!"
from (
  (select project_id, mode from refund_totals where (project_id, mode) > ($1, $2) order by 1, 2 limit 1)
  union all
  (select project_id, mode from wallet_balances where (project_id, mode) > ($1, $2) order by 1, 2 limit 1)
) next order by 1, 2 limit 1;
