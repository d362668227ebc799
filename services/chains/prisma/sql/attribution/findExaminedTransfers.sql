-- Finds the transfers of transactions, with what the tenant makes of each.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:recipient
-- @param $5:currency
-- @param $6:txHashes
-- @param $7:max
select t.tx_hash as "tx_hash!", t.kind as "kind!", t.ordinal as "ordinal!", t.sender as "sender!",
  t.recipient as "recipient!", t.value as "value!", t.block_number as "block_number!", t.block_hash as "block_hash!",
  t.block_time as "block_time!", t.status as "status!", d.payment_id, d.rule, d.reason, a.subject_id,
  a.created_at as confirmed_at
from transfers t
  left join attributions d on d.transfer_id = t.id and d.project_id = $1 and d.mode = $2
  left join allocations a on a.transfer_id = t.id and a.project_id = $1 and a.mode = $2
where t.chain_id = $3 and t.wallet = $4 and t.currency = $5 and t.tx_hash = any($6)
order by t.block_number, t.tx_hash, t.kind, t.ordinal limit $7
