-- Stores money that the tenant will send itself.
-- @param {Json} $1:payouts
insert into expected_payouts (project_id, mode, subject_id, chain_id, source, destination, currency)
select distinct on (project_id, mode, subject_id) project_id, mode, subject_id, chain_id, source, destination, currency
from json_to_recordset($1) as input (
  project_id text, mode smallint, subject_id text, chain_id bigint, source text, destination text, currency text)
order by project_id, mode, subject_id
on conflict do nothing
