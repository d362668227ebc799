-- Deletes a code that is still valid, so that one of several requests with it succeeds.
-- @param $1:paymentId
-- @param $2:digest
-- @param $3:now
delete from handoffs where payment_id = $1 and digest = $2 and expires_at > $3
