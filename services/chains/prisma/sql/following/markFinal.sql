-- Moves the height up to which the chain is final and was read a second time; it never goes back.
-- @param $1:chainId
-- @param $2:leader
-- @param $3:epoch
-- @param $4:number
update cursors set final_number = $4
where chain_id = $1 and leader = $2 and epoch = $3 and (final_number is null or final_number < $4)
