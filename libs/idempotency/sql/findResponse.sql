-- Finds the response of a key; it is empty while a call to another service is under way.
-- @param $1:scope
-- @param $2:key
select fingerprint, response from idempotency_keys
where scope = $1 and key = $2 and period <= current_timestamp
