-- Refunds of any project under lock.
-- @param {Json} $1:refunds
select refund.* from json_to_recordset($1) as input (project_id text, id text) join refunds refund using (project_id, id)
order by refund.id for update of refund;
