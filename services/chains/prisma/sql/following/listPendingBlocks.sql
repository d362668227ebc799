-- Lists blocks with transfers that are not final: the oldest up to a height, and the newest above it.
-- @param $1:chainId
-- @param $2:height
-- @param $3:max
(select distinct block_number as "block_number!", block_hash as "block_hash!" from transfers
  where chain_id = $1 and status = 'seen' and block_number <= $2
  order by block_number limit $3)
union all
(select distinct block_number, block_hash from transfers
  where chain_id = $1 and status = 'seen' and block_number > $2
  order by block_number desc limit $3)
