-- Deletes the claim of a call that has no response to keep.
-- @param $1:scope
-- @param $2:key
-- @param $3:claimedAt
delete from idempotency_keys
where scope = $1 and key = $2 and created_at = $3 and response = ''::bytea
