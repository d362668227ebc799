-- Stores the response of a call, unless the claim has passed to another request.
-- @param $1:scope
-- @param $2:key
-- @param $3:response
-- @param $4:claimedAt
update idempotency_keys set response = $3
where scope = $1 and key = $2 and created_at = $4 and response = ''::bytea
