-- Finds the transactions of a payment, submitted and found, for an explanation.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:paymentId
-- @param $4:max
with named as (
  select s.chain_id, s.tx_hash, s.recipient, s.currency, s.outcome, s.by_merchant, s.created_at, s.judged_at
  from submissions s where s.project_id = $1 and s.mode = $2 and s.subject_id = $3
), found as (
  select distinct on (t.chain_id, t.tx_hash) t.chain_id, t.tx_hash, t.wallet as recipient, t.currency, t.block_time
  from attributions a join transfers t on t.id = a.transfer_id
  where a.project_id = $1 and a.mode = $2 and a.payment_id = $3 and not exists (
    select from named n where n.chain_id = t.chain_id and n.tx_hash = t.tx_hash)
), listed as (
  select n.*, true as is_submitted from named n
  union all
  select f.chain_id, f.tx_hash, f.recipient, f.currency, 'counted', false, f.block_time, null, false from found f
)
select l.chain_id as "chain_id!", l.tx_hash as "tx_hash!", l.recipient as "recipient!", l.currency as "currency!",
  l.outcome as "outcome?", l.by_merchant as "by_merchant!", l.is_submitted as "is_submitted!", l.created_at as "created_at!",
  l.judged_at, t.state as "state?", t.replaced_by as "replaced_by?", t.first_seen_at as "first_seen_at?",
  t.looked_at as "looked_at?", t.waits_for as "waits_for?", t.block_number as "block_number?",
  t.chain_head as "chain_head?", t.providers_agreeing as "providers_agreeing?",
  t.providers_contradicting as "providers_contradicting?"
from listed l left join transactions t on t.chain_id = l.chain_id and t.tx_hash = l.tx_hash
order by l.created_at, l.tx_hash limit $4
