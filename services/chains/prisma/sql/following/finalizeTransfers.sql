-- Marks the transfers of a block as final, or as orphaned where the final chain has another block at its height, and
-- queues their wallets. Transactions of orphaned transfers are searched again, for an hour at least.
-- @param $1:chainId
-- @param {Json} $2:blocks
-- @param $3:now
with marked as (
  update transfers t set status = b.status
  from json_to_recordset($2) as b (number bigint, hash text, status text)
  where t.chain_id = $1 and t.status = 'seen' and t.block_number = b.number and t.block_hash = b.hash
  returning t.id, t.tx_hash, t.wallet as recipient, t.currency, t.status
), sought as (
  update transactions t set state = 'waiting', next_at = $3::timestamptz, misses = 0, replaced_by = null,
    block_number = null, block_hash = null, block_time = null, proofs = '{}',
    give_up_at = greatest(t.give_up_at, $3::timestamptz + interval '1 hour')
  where t.chain_id = $1 and t.tx_hash in (select m.tx_hash from marked m where m.status = 'orphaned')
), concerned as (
  select a.project_id, a.mode, m.recipient, m.currency from marked m join attributions a on a.transfer_id = m.id
  where m.status = 'orphaned' or a.is_open
), queued as (
  insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
  select distinct project_id, mode, $1, recipient, currency, $3::timestamptz from concerned
  order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, chain_id, recipient, currency) do update set
    marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
  returning q.project_id
), reopened as (
  update attributions a set is_open = true from marked m
  where a.transfer_id = m.id and m.status = 'orphaned' and (select count(*) from queued) > 0
)
select (m.status = 'orphaned') as "is_orphaned!" from marked m
