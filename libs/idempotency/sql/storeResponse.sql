-- Stores the response of a key in the transaction that claimed it.
-- @param $1:scope
-- @param $2:key
-- @param $3:response
update idempotency_keys set response = $3 where scope = $1 and key = $2
