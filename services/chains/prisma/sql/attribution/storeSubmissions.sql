-- Stores submitted hashes for verification. A newer version of the subject starts verification again, unless the hash
-- has paid it. Ids follow the order of the events, because of equal claims the first wins. A hash that was found
-- before takes the place of the event that submits it.
-- @param {Json} $1:submissions
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    nth integer, subject_id text, project_id text, mode smallint, request_id text, chain_id bigint, tx_hash text,
    recipient text, currency text, payer text /* null */, other_payers jsonb /* null */,
    payer_declared_at timestamptz /* null */, merchant_submitted boolean, base_amount numeric, not_before timestamptz,
    not_after timestamptz /* null */, give_up_at timestamptz, attempt integer)
), latest as (
  select distinct on (project_id, mode, subject_id, tx_hash) *,
    min(nth) over (partition by project_id, mode, subject_id, tx_hash) as first_nth
  from input
  order by project_id, mode, subject_id, tx_hash, attempt desc
)
insert into candidates (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, payer,
  other_payers, payer_declared_at, merchant_submitted, base_amount, not_before, not_after, give_up_at, attempt,
  next_at, created_at)
select subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, payer,
  other_payers, payer_declared_at, merchant_submitted, base_amount, not_before, not_after, give_up_at, attempt, $2, $2
from latest
order by first_nth
on conflict (project_id, mode, subject_id, tx_hash) do update set
  payer = excluded.payer, other_payers = excluded.other_payers, not_after = excluded.not_after,
  payer_declared_at = excluded.payer_declared_at, request_id = excluded.request_id, attempt = excluded.attempt,
  merchant_submitted = candidates.merchant_submitted or excluded.merchant_submitted,
  give_up_at = case when candidates.reorged_at is null then excluded.give_up_at else candidates.give_up_at end,
  state = 'waiting', reason = null, judged_at = null, found = false,
  asked_at = case when candidates.found then candidates.asked_at end,
  created_at = case when candidates.found then excluded.created_at else candidates.created_at end,
  named_order = case when candidates.found then excluded.id else candidates.named_order end,
  next_at = excluded.next_at, misses = 0
where candidates.attempt < excluded.attempt and candidates.state not in ('confirmed', 'surplus')
