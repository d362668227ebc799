-- Marks the transfers of a block as final, or as orphaned where the final chain has another block at its height.
-- @param $1:chainId
-- @param $2:blocks
update transfers t set status = b.status
from json_to_recordset($2) as b (number bigint, hash text, status text)
where t.chain_id = $1 and t.status = 'seen' and t.block_number = b.number and t.block_hash = b.hash
returning (t.status = 'orphaned') as is_orphaned
