-- What the refunds of a payment that have not failed give back, by destination. The balance is locked by the caller.
-- @param $1:projectId
-- @param $2:paymentId
select lower(destination_address) as "address!", sum(base_amount) as "sum!" from refunds
where project_id = $1 and payment_id = $2 and status <> 'failed' and destination_address <> ''
group by 1;
