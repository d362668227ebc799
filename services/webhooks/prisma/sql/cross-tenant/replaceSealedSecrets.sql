-- Replaces the encrypted form of secrets that are still as they were read.
-- @param {Json} $1:secrets
update secrets set sealed = input.resealed
from json_to_recordset($1) as input (project_id text, endpoint_id text, seq smallint, sealed bytea, resealed bytea)
where secrets.project_id = input.project_id and secrets.endpoint_id = input.endpoint_id
  and secrets.seq = input.seq and secrets.sealed = input.sealed
