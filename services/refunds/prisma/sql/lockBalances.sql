-- The balances of refunds under lock. Balances come before refunds in every transaction, and in one order, so that no
-- two transactions wait for each other in a circle.
-- @param {Json} $1:refunds
select balance.* from refund_balances balance
where (project_id, payment_id) in (
  select refund.project_id, payment_id
  from json_to_recordset($1) as input (project_id text, id text) join refunds refund using (project_id, id)
)
order by payment_id for update;
