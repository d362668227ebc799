-- Stores the code of a hand-off in place of the one that the payment had.
-- @param $1:paymentId
-- @param $2:digest
-- @param $3:expiresAt
insert into handoffs (payment_id, digest, expires_at) values ($1, $2, $3)
on conflict (payment_id) do update set digest = excluded.digest, expires_at = excluded.expires_at
