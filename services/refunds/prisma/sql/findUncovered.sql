-- The payments whose refunds are more than what is proven of them.
-- @param $1:projectId
-- @param $2:paymentIds
select payment_id from refund_balances where project_id = $1 and payment_id = any($2) and reserved > received;
