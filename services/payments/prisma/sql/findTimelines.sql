-- Reads the timelines of payments.
-- @param {Json} $1:names
select payment.id, payment.tx_hash, payment.steps
from json_to_recordset($1) as requested (project_id text, id text)
join payments payment on payment.project_id = requested.project_id and payment.id = requested.id
