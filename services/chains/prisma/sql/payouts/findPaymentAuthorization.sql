-- Finds the last authorization of a payment, with how many of them payers have cancelled.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:paymentId
select a.subject_id, (
    select count(*)::int from authorizations c
    where c.project_id = a.project_id and c.mode = a.mode and c.payment_id = a.payment_id and c.state = 'cancelled')
    as "cancelled!"
from authorizations a
where a.project_id = $1 and a.mode = $2 and a.payment_id = $3
order by a.created_at desc limit 1
