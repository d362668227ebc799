-- Finds payments by tenant and id.
-- @param {Json} $1:requests
select payment.* /* except steps, changed_xid */
from json_to_recordset($1) as requested (project_id text, mode smallint, id text)
join payments payment on payment.id = requested.id
  and payment.project_id = requested.project_id and payment.mode = requested.mode
