-- The balance of a payment, without a lock; none where it has no refund.
-- @param $1:projectId
-- @param $2:paymentId
select balance.* from refund_balances balance where balance.project_id = $1 and balance.payment_id = $2;
