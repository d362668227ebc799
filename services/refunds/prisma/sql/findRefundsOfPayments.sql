-- All refunds of several payments, newest first. A payment has a bounded number of them.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:paymentIds
select refund.* from refunds refund where project_id = $1 and mode = $2 and payment_id = any($3)
order by created_at desc, id desc;
