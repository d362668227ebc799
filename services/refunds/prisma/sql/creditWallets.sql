-- Credits of payments to their wallets. An event older than the stored version changes nothing. Wallets are locked in one
-- order, so that no two lists wait for each other in a circle.
-- @param {Json} $1:credits
with input as (
  select * from json_to_recordset($1) as input (
    payment_id text, project_id text, mode smallint, chain_id bigint, currency text, source_address text,
    decimals smallint, base_amount numeric, version integer)
), stored as materialized (
  select payment_id, base_amount, version from wallet_credits
  where payment_id in (select payment_id from input) order by payment_id for update
), newer as materialized (
  select input.*, input.base_amount - stored.base_amount as difference
  from input join stored using (payment_id) where stored.version < input.version
), updated as (
  update wallet_credits as credit set base_amount = newer.base_amount, version = newer.version
  from newer where credit.payment_id = newer.payment_id
), totals as materialized (
  select project_id, mode, chain_id, currency, source_address, min(decimals) as decimals, sum(difference) as difference
  from newer group by 1, 2, 3, 4, 5 having sum(difference) <> 0
), lowered as (
  update wallet_balances as wallet set credited = wallet.credited + totals.difference
  from totals
  where difference < 0 and wallet.project_id = totals.project_id and wallet.mode = totals.mode
    and wallet.chain_id = totals.chain_id and wallet.currency = totals.currency
    and wallet.source_address = totals.source_address
)
insert into wallet_balances as wallet
  (project_id, mode, chain_id, currency, source_address, decimals, credited, reserved_refunds, settled)
select project_id, mode, chain_id, currency, source_address, decimals, difference, 0, 0
from totals where difference > 0
order by project_id, mode, chain_id, currency, source_address
on conflict (project_id, mode, chain_id, currency, source_address)
do update set credited = wallet.credited + excluded.credited;
