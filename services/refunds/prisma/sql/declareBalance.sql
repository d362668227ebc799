-- Marks the payment of a balance as declared refunded.
-- @param $1:projectId
-- @param $2:paymentId
-- @param $3:declaredAt
update refund_balances set declared_at = $3 where project_id = $1 and payment_id = $2;
