-- Gives the lease back, so that another replica follows the chain at once.
-- @param $1:chainId
-- @param $2:leader
update cursors set leader = null where chain_id = $1 and leader = $2
