-- Compares the counts and wallets of a project with its refunds and settlements. A refund that another wallet paid takes
-- nothing from its source wallet.
-- @param $1:projectId
-- @param $2:mode
with kept as (
  select status, sum(refunds) as n from refund_totals where project_id = $1 and mode = $2 group by status
), counted as (
  select status, count(*) as n from refunds where project_id = $1 and mode = $2 group by status
), taken as (
  select chain_id, lower(currency) as currency, lower(source_address) as source_address,
    sum(base_amount) as reserved, 0 as settled
  from refunds
  where project_id = $1 and mode = $2 and status <> 'failed'
    and (status = 'completed' and paid_from <> lower(source_address)) is not true
  group by 1, 2, 3
  union all
  select chain_id, lower(currency), lower(source_address), 0, sum(base_amount) from settlements
  where project_id = $1 and mode = $2 and status <> 'failed' group by 1, 2, 3
), wallets as (
  select chain_id, currency, source_address, sum(reserved) as reserved, sum(settled) as settled
  from taken group by 1, 2, 3
)
select
  exists (select from kept full join counted using (status) where coalesce(kept.n, 0) <> coalesce(counted.n, 0))
    as "totals!",
  exists (
    select from (
      select chain_id, currency, source_address, reserved_refunds, settled from wallet_balances
      where project_id = $1 and mode = $2
    ) balance
      full join wallets using (chain_id, currency, source_address)
    where (coalesce(balance.reserved_refunds, 0), coalesce(balance.settled, 0)) is distinct from
      (coalesce(wallets.reserved, 0), coalesce(wallets.settled, 0))
  ) as "wallets!";
