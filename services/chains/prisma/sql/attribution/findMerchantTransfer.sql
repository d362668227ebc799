-- Finds one transfer to a recipient of the tenant.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:id
select m.id as "id!", m.created_at as "created_at!", m.chain_id as "chain_id!", m.tx_hash as "tx_hash!",
  m.kind as "kind!", m.ordinal as "ordinal!", m.currency as "currency!", m.sender as "sender!",
  m.recipient as "recipient!", m.value as "value!", m.block_number as "block_number!", m.block_time as "block_time!",
  m.status as "status!", m.subject_id, m.confirmed_at, m.rule, m.reason, m.candidates, m.decimals as "decimals!"
from merchant_transfers m where m.project_id = $1 and m.mode = $2 and m.id = $3
