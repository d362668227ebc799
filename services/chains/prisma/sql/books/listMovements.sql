-- Lists the allocations of a tenant within a time, in the order of recording. A past time gets no further ones.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:from
-- @param $4:to
-- @param $5:afterTime
-- @param $6:afterTransferId
-- @param $7:limit
select a.subject_id, a.created_at as recorded_at, a.transfer_id, t.chain_id, t.currency,
  coalesce((select k.decimals from tokens k where k.chain_id = t.chain_id and k.address = t.currency),
    c.native_decimals)::int as "decimals!",
  coalesce((select k.symbol from tokens k where k.chain_id = t.chain_id and k.address = t.currency), c.symbol) as "symbol!",
  t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.value, t.block_number, t.block_time
from allocations a join transfers t on t.id = a.transfer_id
  join chains c on c.chain_id = t.chain_id
where a.project_id = $1 and a.mode = $2 and a.created_at >= $3 and a.created_at < $4
  and (a.created_at, a.transfer_id) > ($5::timestamptz, $6::bigint) and t.status <> 'orphaned'
order by a.created_at, a.transfer_id limit $7
