-- Deletes followed blocks that no reorganisation reaches.
-- @param $1:chainId
-- @param $2:below
delete from blocks where chain_id = $1 and number < $2
