-- Finds the wallets that were screened for payments.
-- @param {Json} $1:payments
select s.project_id, s.payment_id, s.sender, s.is_blocked, s.cause, s.is_told
from json_to_recordset($1) as input (project_id text, payment_id text)
  join screenings s using (project_id, payment_id)
order by s.project_id, s.payment_id, s.sender
