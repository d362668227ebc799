-- The balance of a payment under lock; created where there is none. What is proven of the payment follows its newest
-- version. The update is needed for the lock.
-- @param $1:paymentId
-- @param $2:projectId
-- @param $3:mode
-- @param $4:amount
-- @param $5:received
-- @param $6:paymentVersion
insert into refund_balances as balance (payment_id, project_id, mode, amount, received, payment_version, reserved,
  completed, surplus_reserved, surplus_completed, refunds)
values ($1, $2, $3, $4, $5, $6, 0, 0, 0, 0, 0)
on conflict (project_id, payment_id) do update set
  received = case when balance.payment_version < excluded.payment_version then excluded.received
    else balance.received end,
  payment_version = greatest(balance.payment_version, excluded.payment_version)
returning balance.*;
