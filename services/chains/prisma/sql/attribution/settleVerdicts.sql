-- Writes the verdicts of batches, one for each transaction, each batch as a whole or not at all: transfers,
-- allocations, the ends of the candidates and the events. Watches are locked before candidates and both in the order
-- of their keys, as by the consumer of events, so that two writers cannot deadlock.
-- @param {Json} $1:verdicts
-- @param {Json} $2:transfers
-- @param {Json} $3:pays
-- @param {Json} $4:events
with verdicts as (
  select * from json_to_recordset($1) as verdicts (
    batch integer, id bigint, project_id text, mode smallint, subject_id text, attempt integer,
    judged_hashes integer /* null */, state text, reason text /* null */, proving_tx_hash text /* null */,
    judged_at timestamptz, mined_block bigint /* null */, chain_head bigint /* null */, agreeing smallint /* null */,
    contradicting smallint /* null */)
), shown as (
  select * from json_to_recordset($2) as shown (
    chain_id bigint, tx_hash text, kind text, ordinal integer, block_number bigint, block_hash text,
    block_time timestamptz, currency text, sender text, recipient text, value numeric)
), facts as (
  select distinct on (chain_id, tx_hash, kind, ordinal) * from shown
  order by chain_id, tx_hash, kind, ordinal
), pays as (
  select * from json_to_recordset($3) as pays (
    candidate_id bigint, chain_id bigint, tx_hash text, kind text, ordinal integer)
), events as (
  select * from json_to_recordset($4) as events (
    candidate_id bigint, event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), watched as (
  select payment_id from watches
  where (project_id, payment_id) in (select project_id, subject_id from verdicts)
  order by project_id, payment_id for update
), locked as (
  select c.id, c.project_id, c.mode, c.subject_id, c.attempt, c.state from candidates c
  where (c.project_id, c.mode, c.subject_id) in (select project_id, mode, subject_id from verdicts)
    and (select count(*) from watched) >= 0
  order by c.id for update of c
), subjects as (
  select project_id, mode, subject_id,
    count(*) filter (where state in ('confirmed', 'surplus', 'rejected')) as judged_hashes
  from locked group by project_id, mode, subject_id
), current_batches as (
  select v.batch
  from verdicts v join subjects s using (project_id, mode, subject_id)
    left join locked l on l.id = v.id and l.attempt = v.attempt and l.state = 'waiting'
  group by v.batch
  having bool_and(l.id is not null and s.judged_hashes = coalesce(v.judged_hashes, s.judged_hashes))
), judged as (
  update candidates c set state = v.state, reason = v.reason, judged_at = v.judged_at,
    proving_tx_hash = v.proving_tx_hash, looked_at = v.judged_at, waits_for = null, needs = null,
    mined_block = v.mined_block, chain_head = v.chain_head,
    providers_agreeing = v.agreeing, providers_contradicting = v.contradicting
  from verdicts v join current_batches using (batch)
  where c.project_id = v.project_id and c.id = v.id and c.attempt = v.attempt and c.state = 'waiting'
  returning c.id, c.subject_id, c.project_id, c.mode, c.state, c.found
), written as (
  insert into transfers (chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, currency, sender,
    recipient, value, status)
  select chain_id, tx_hash, kind, ordinal, block_number, block_hash, block_time, currency, sender, recipient, value,
    'seen'
  from facts
  on conflict (chain_id, tx_hash, kind, ordinal) do update set
    block_number = excluded.block_number, block_hash = excluded.block_hash,
    block_time = excluded.block_time, value = excluded.value, currency = excluded.currency,
    sender = excluded.sender, recipient = excluded.recipient,
    status = case when transfers.block_hash = excluded.block_hash and transfers.status <> 'orphaned'
      then transfers.status else 'seen' end
  returning id, chain_id, tx_hash, kind, ordinal
), known as (
  select * from written
  union
  select t.id, t.chain_id, t.tx_hash, t.kind, t.ordinal
  from pays join transfers t using (chain_id, tx_hash, kind, ordinal)
), allocated as (
  -- An unknown transfer is null here, which the column refuses: nothing is confirmed without its transfers.
  insert into allocations (transfer_id, candidate_id, subject_id, project_id, mode)
  select known.id, judged.id, judged.subject_id, judged.project_id, judged.mode
  from pays join judged on judged.id = pays.candidate_id
    left join known using (chain_id, tx_hash, kind, ordinal)
), published as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select event_id, event_type, topic, event_key, request_id, payload from events
  where candidate_id in (select id from judged)
), closed as (
  update watches w set state = 'closed'
  from judged j
  where w.project_id = j.project_id and w.mode = j.mode and w.payment_id = j.subject_id and j.state = 'confirmed'
), freed as (
  update watches w set opened_xid = current_xid(), again_xid = rematch_xid(w)
  from (
    select project_id, mode, subject_id from judged group by project_id, mode, subject_id
    having bool_or(state = 'rejected' and not found) and not bool_or(state = 'confirmed')) j
  where w.project_id = j.project_id and w.mode = j.mode and w.payment_id = j.subject_id and w.state = 'open'
)
select id as "id!" from judged
