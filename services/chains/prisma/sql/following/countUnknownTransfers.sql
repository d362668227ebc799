-- Counts the transfers of the final chain that are not stored.
-- @param $1:chainId
-- @param $2:transfers
select count(*)::int as "count!"
from json_to_recordset($2) as t (tx_hash text, kind text, ordinal int)
where not exists (
  select from transfers k where k.chain_id = $1 and k.tx_hash = t.tx_hash and k.kind = t.kind and k.ordinal = t.ordinal)
