-- Marks the payment of a balance as declared refunded.
-- @param $1:projectId
-- @param $2:paymentId
update refund_balances set declared = true where project_id = $1 and payment_id = $2;
