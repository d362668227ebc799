-- Stores what verifications saw, with their events. A candidate that was made due meanwhile stays due, and a newer
-- attempt is unchanged. Of two verifications with the same needs_turn the second one knew less, so it changes
-- nothing. After so many searches without a result another transaction may pay. Watches are locked before candidates,
-- as by verdicts.
-- @param {Json} $1:looks
-- @param {Json} $2:events
-- @param $3:now
-- @param $4:missesMin
with looks as (
  select * from json_to_recordset($1) as looks (
    id bigint, project_id text, attempt integer, next_at timestamptz, misses integer, sender text /* null */,
    nonce bigint /* null */, seen_block bigint /* null */, first_seen_at timestamptz /* null */,
    waits_for text /* null */, mined_block bigint /* null */, chain_head bigint /* null */,
    agreeing smallint /* null */, contradicting smallint /* null */, needs text /* null */,
    needs_turn integer /* null */)
), events as (
  select * from json_to_recordset($2) as events (
    candidate_id bigint, event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), freed as (
  select w.project_id, w.payment_id from watches w
  where w.state = 'open' and (w.project_id, w.payment_id) in (
    select c.project_id, c.subject_id from looks l join candidates c on c.project_id = l.project_id and c.id = l.id
    where l.misses = $4 and not c.found
      and (coalesce(l.first_seen_at, c.first_seen_at) is null or c.reorged_at is not null))
  order by w.project_id, w.payment_id for update
), rematched as (
  update watches w set opened_xid = current_xid(), again_xid = rematch_xid(w) from freed f
  where w.project_id = f.project_id and w.payment_id = f.payment_id
), later as (
  update candidates c set next_at = case when c.next_at <= $3 then c.next_at else l.next_at end, misses = l.misses,
    sender = l.sender, nonce = l.nonce, seen_block = l.seen_block,
    first_seen_at = least(c.first_seen_at, l.first_seen_at),
    looked_at = case when l.waits_for is null then c.looked_at else $3 end,
    waits_for = coalesce(l.waits_for, c.waits_for),
    mined_block = case when l.waits_for is null then c.mined_block else l.mined_block end,
    chain_head = coalesce(l.chain_head, c.chain_head),
    providers_agreeing = coalesce(l.agreeing, c.providers_agreeing),
    providers_contradicting = coalesce(l.contradicting, c.providers_contradicting),
    needs = case when l.needs_turn is null then c.needs else l.needs end,
    needs_turn = coalesce(l.needs_turn, c.needs_turn)
  from looks l
  where c.project_id = l.project_id and c.id = l.id and c.attempt = l.attempt and c.state = 'waiting'
    and coalesce(l.needs_turn = c.needs_turn + 1, true) and (select count(*) from freed) >= 0
  returning c.id
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from events
where candidate_id in (select id from later)
