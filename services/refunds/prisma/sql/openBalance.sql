-- The balance of a payment under lock; created where there is none. The update is needed for the lock.
-- @param $1:paymentId
-- @param $2:projectId
-- @param $3:mode
-- @param $4:amount
-- @param $5:cap
insert into refund_balances as balance
  (payment_id, project_id, mode, amount, cap, reserved, completed, refunds, declared)
values ($1, $2, $3, $4, $5, 0, 0, 0, false)
on conflict (project_id, payment_id) do update set cap = greatest(balance.cap, excluded.cap)
returning balance.*;
