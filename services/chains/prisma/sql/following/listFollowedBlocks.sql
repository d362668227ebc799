-- Lists blocks that were followed below a height, the newest first.
-- @param $1:chainId
-- @param $2:below
-- @param $3:max
select number, hash from blocks where chain_id = $1 and number < $2 order by number desc limit $3
