-- Finds payments by project and id, across tenants. The caller compares the mode.
-- @param {Json} $1:names
select payment.* /* except steps, changed_xid */
from (select distinct * from json_to_recordset($1) as name (project_id text, id text)) requested
join payments payment on payment.project_id = requested.project_id and payment.id = requested.id
