-- Notes that a decision has read the answers.
-- @param {Json} $1:screenings
update screenings s set is_told = true
from json_to_recordset($1) as input (project_id text, payment_id text, sender text)
where s.project_id = input.project_id and s.payment_id = input.payment_id and s.sender = input.sender
