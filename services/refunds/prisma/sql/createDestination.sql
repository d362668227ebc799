-- Adds an address to the address book of a tenant, unless the book is full.
-- @param {Json} $1:destinations
-- @param $2:rowsMax
insert into settlement_destinations
  (id, project_id, mode, chain_id, address, label, created_by, created_at, usable_at)
select id, project_id, mode, chain_id, address, label, created_by, created_at, usable_at
from json_to_recordset($1) as input (
  id text, project_id text, mode smallint, chain_id bigint, address text, label text /* null */, created_by text,
  created_at timestamptz, usable_at timestamptz
)
where (
  select count(*) from settlement_destinations other
  where other.project_id = input.project_id and other.mode = input.mode
) < $2;
