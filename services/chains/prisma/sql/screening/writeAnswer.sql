-- Writes the answer about a wallet, unless there is one, and returns the wallet of the merchant where it matters.
-- @param $1:projectId
-- @param $2:paymentId
-- @param $3:sender
-- @param $4:isBlocked
-- @param $5:cause?
update screenings set is_blocked = $4, cause = $5, next_at = null
where project_id = $1 and payment_id = $2 and sender = $3 and is_blocked is null
returning project_id, mode, chain_id, recipient, currency
