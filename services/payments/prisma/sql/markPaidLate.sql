-- Adds a step for a transfer that came after its payment had expired, unless the timeline has it. A line without a hash
-- is about the hash of the payment.
-- @param {Json} $1:transfers
update payments payment
set steps = append_payment_step(payment.steps, payment.tx_hash, payment.tx_hash, transfer.step)
from json_to_recordset($1) as transfer (project_id text, id text, hash_digits text, step text)
where payment.project_id = transfer.project_id and payment.id = transfer.id and payment.status = 'expired'
  and coalesce(payment.steps, '') !~ ('(?n)^' || left(transfer.step, 1) || '[^#]*' || case
    when encode(payment.tx_hash, 'hex') = transfer.hash_digits then format('(#%s)?$', transfer.hash_digits)
    else format('#%s$', transfer.hash_digits) end)
