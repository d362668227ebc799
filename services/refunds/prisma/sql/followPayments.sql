-- What is proven of payments that have refunds, at their present versions. Balances are locked in the order of lockBalances.
-- @param {Json} $1:credits
with input as (
  select * from json_to_recordset($1) as input (
    payment_id text, project_id text, base_amount numeric, version integer)
), older as materialized (
  select project_id, payment_id, input.base_amount, input.version
  from refund_balances balance join input using (project_id, payment_id)
  where balance.payment_version < input.version
  order by payment_id for update of balance
)
update refund_balances as balance set received = older.base_amount, payment_version = older.version
from older where balance.project_id = older.project_id and balance.payment_id = older.payment_id;
