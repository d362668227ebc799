-- Settlements of any project under lock.
-- @param {Json} $1:settlements
select settlement.* from json_to_recordset($1) as input (project_id text, id text)
  join settlements settlement using (project_id, id)
order by settlement.id for update of settlement;
