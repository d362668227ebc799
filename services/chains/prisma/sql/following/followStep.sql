-- One step of following a chain: the cursor, its block, the transfers, the candidates that these make and their events.
-- The cursor is compared and set first; where another leader has moved it, nothing is written. An abandoned or reorged hash
-- is verified again where the chain has it. A payment whose hash is under verification takes no other transaction.
-- @param $1:chainId
-- @param $2:leader
-- @param $3:epoch
-- @param $4:previousHash?
-- @param $5:number
-- @param $6:hash
-- @param $7:watchedXid
-- @param $8:now
-- @param $9:missesMin
-- @param $10:blocks
-- @param $11:transfers
-- @param $12:found
with moved as (
  update cursors set head_number = $5, head_hash = $6, watched_xid = $7
  where chain_id = $1 and leader = $2 and epoch = $3 and head_hash is not distinct from $4
  returning chain_id
), stored_blocks as (
  insert into blocks (chain_id, number, hash, mined_at)
  select $1, b.* from json_to_recordset($10) as b (number bigint, hash text, mined_at timestamptz)
  where exists (select from moved)
  on conflict (chain_id, number) do update set hash = excluded.hash, mined_at = excluded.mined_at
), seen as (
  select * from json_to_recordset($11) as t (tx_hash text, kind text, ordinal int, block_number bigint, block_hash text,
    block_time timestamptz, currency text, sender text, recipient text, value numeric)
  where exists (select from moved)
), stored_transfers as (
  insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, currency, sender,
    recipient, value, status)
  select $1, seen.*, 'seen' from seen
  order by tx_hash, kind, ordinal
  on conflict (chain_id, tx_hash, kind, ordinal) do update set
    block_number = excluded.block_number, block_hash = excluded.block_hash,
    block_time = excluded.block_time, value = excluded.value, currency = excluded.currency,
    sender = excluded.sender, recipient = excluded.recipient, status = 'seen'
  where transfers.block_hash <> excluded.block_hash or transfers.status = 'orphaned'
), lost as (
  select c.project_id, c.id from candidates c
  where c.chain_id = $1 and (c.tx_hash, c.recipient, c.currency) in (select tx_hash, recipient, currency from seen)
    and (c.state = 'abandoned' or c.state = 'rejected' and c.reason = 'reorged')
  order by c.id for update
), resumed as (
  -- For an hour at least: not every node has the transaction at once.
  update candidates c set state = 'waiting', reason = null, judged_at = null, epoch = c.epoch + 1, misses = 0,
    next_at = $8, give_up_at = greatest(c.give_up_at, $8::timestamptz + interval '1 hour')
  from lost where c.project_id = lost.project_id and c.id = lost.id
  returning c.id
), input as (
  select * from json_to_recordset($12) as f (subject_id text, project_id text, mode smallint, request_id text, tx_hash text,
    recipient text, currency text, payer text /* null */, payer_declared_at timestamptz /* null */, base_amount numeric,
    not_before timestamptz, not_after timestamptz /* null */, give_up_at timestamptz, attempt int,
    event_id text /* null */, event_type text /* null */, topic text /* null */, event_key text /* null */,
    payload bytea /* null */)
), offered as (
  -- A transaction that another payment of the tenant claims by hash is verified together with that claim and publishes nothing.
  select f.*, case when f.event_id is not null and not exists (
    select from candidates c where c.chain_id = $1 and c.tx_hash = f.tx_hash and c.state = 'waiting'
      and c.subject_id <> f.subject_id and c.project_id = f.project_id and c.mode = f.mode) then $8::timestamptz end as asked_at
  from input f
), found as (
  insert into candidates (chain_id, subject_id, project_id, mode, request_id, tx_hash, recipient, currency, payer,
    payer_declared_at, base_amount, not_before, not_after, give_up_at, attempt, asked_at, next_at, created_at,
    first_seen_at, found)
  select $1, f.subject_id, f.project_id, f.mode, f.request_id, f.tx_hash, f.recipient, f.currency, f.payer,
    f.payer_declared_at, f.base_amount, f.not_before, f.not_after, f.give_up_at, f.attempt, f.asked_at, $8, $8, $8, true
  from offered f
  where exists (select from moved) and not exists (
    select from candidates c
    where c.project_id = f.project_id and c.mode = f.mode and c.subject_id = f.subject_id and c.tx_hash <> f.tx_hash
      and not c.found and c.state = 'waiting'
      and (c.first_seen_at is not null and c.reorged_at is null or c.misses < $9))
  order by project_id, mode, subject_id, tx_hash
  on conflict do nothing
  returning subject_id, tx_hash, project_id, mode, asked_at
), events as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select f.event_id, f.event_type, f.topic, f.event_key, f.request_id, f.payload
  from offered f join found using (subject_id, tx_hash, project_id, mode)
  where found.asked_at is not null
)
select (select count(*)::int from moved) as "moved!",
  (select count(*)::int from found) + (select count(*)::int from resumed) as "found!"
