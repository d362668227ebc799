-- Finds the money of payments as it was published last.
-- @param {Json} $1:payments
select s.* from json_to_recordset($1) as input (project_id text, payment_id text)
  join payment_sums s using (project_id, payment_id)
