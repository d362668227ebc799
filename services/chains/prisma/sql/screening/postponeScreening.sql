-- Lets a wallet be asked for again at a time.
-- @param $1:projectId
-- @param $2:paymentId
-- @param $3:sender
-- @param $4:nextAt
update screenings set next_at = $4
where project_id = $1 and payment_id = $2 and sender = $3 and is_blocked is null
