-- Finds the last authorization of a payment.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:paymentId
select subject_id from authorizations
where project_id = $1 and mode = $2 and payment_id = $3
order by created_at desc limit 1
