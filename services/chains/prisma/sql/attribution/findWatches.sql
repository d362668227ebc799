-- Finds watches by the ids of their payments.
-- @param {Json} $1:payments
select w.* from json_to_recordset($1) as input (project_id text, payment_id text)
  join watches w using (project_id, payment_id)
