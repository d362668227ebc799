-- Moves the cursor back to a block that both branches share, deletes the blocks above it and orphans their transfers. Nothing
-- changes where another leader has moved the cursor.
-- @param $1:chainId
-- @param $2:leader
-- @param $3:epoch
-- @param $4:headHash
-- @param $5:number
-- @param $6:hash
with moved as (
  update cursors set head_number = $5, head_hash = $6, epoch = epoch + 1
  where chain_id = $1 and leader = $2 and epoch = $3 and head_hash = $4
  returning epoch
), removed as (
  delete from blocks where chain_id = $1 and number > $5 and exists (select from moved)
), orphaned as (
  update transfers set status = 'orphaned'
  where chain_id = $1 and status = 'seen' and block_number > $5 and exists (select from moved)
  returning id
)
select (select count(*)::int from orphaned) as "orphaned!" from moved
