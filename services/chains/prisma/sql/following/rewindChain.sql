-- Moves the cursor back to a block that both branches share, deletes the blocks above it, orphans their transfers and
-- queues their wallets before their decisions change. Nothing changes where another leader has moved the cursor.
-- @param $1:chainId
-- @param $2:leader
-- @param $3:epoch
-- @param $4:headHash
-- @param $5:number
-- @param $6:hash
-- @param $7:now
with moved as (
  update cursors set head_number = $5, head_hash = $6, epoch = epoch + 1
  where chain_id = $1 and leader = $2 and epoch = $3 and head_hash = $4
  returning epoch
), removed as (
  delete from blocks where chain_id = $1 and number > $5 and exists (select from moved)
), orphaned as (
  update transfers set status = 'orphaned'
  where chain_id = $1 and status = 'seen' and block_number > $5 and exists (select from moved)
  returning id, tx_hash, sender, recipient as address, wallet as recipient, currency
), sought as (
  update transactions t set state = 'waiting', next_at = $7::timestamptz, misses = 0, replaced_by = null,
    block_number = null, block_hash = null, block_time = null, proofs = '{}',
    give_up_at = greatest(t.give_up_at, $7::timestamptz + interval '1 hour')
  where t.chain_id = $1 and t.tx_hash in (select o.tx_hash from orphaned o)
), read_again as (
  update deposits d set next_at = $7::timestamptz from orphaned o
  where d.chain_id = $1 and d.address in (o.sender, o.address) and d.currency = o.currency
), concerned as (
  select a.project_id, a.mode, o.recipient, o.currency from orphaned o join attributions a on a.transfer_id = o.id
), queued as (
  insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
  select distinct project_id, mode, $1, recipient, currency, $7::timestamptz from concerned
  order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, chain_id, recipient, currency) do update set
    marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
  returning q.project_id
), reopened as (
  update attributions a set is_open = true from orphaned o
  where a.transfer_id = o.id and (select count(*) from queued) > 0
)
select (select count(*)::int from orphaned) as "orphaned!" from moved
