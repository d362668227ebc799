-- Stores submitted hashes. A newer version of the subject judges a hash again that does not count.
-- @param {Json} $1:submissions
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    subject_id text, project_id text, mode smallint, request_id text, chain_id bigint, tx_hash text, recipient text,
    currency text, sources jsonb /* null */, base_amount numeric /* null */, not_before timestamptz, attempt integer,
    by_merchant boolean, is_assigned boolean, give_up_at timestamptz /* null */)
), latest as (
  select distinct on (project_id, mode, subject_id, tx_hash) * from input
  order by project_id, mode, subject_id, tx_hash, attempt desc
), searched as (
  insert into transactions as t (chain_id, tx_hash, next_at, give_up_at, created_at, is_submitted)
  select distinct on (chain_id, tx_hash) chain_id, tx_hash, $2::timestamptz, give_up_at, $2::timestamptz, true
  from latest
  order by chain_id, tx_hash, give_up_at desc
  on conflict (chain_id, tx_hash) do update set is_submitted = true,
    give_up_at = case when excluded.give_up_at is null then null else greatest(t.give_up_at, excluded.give_up_at) end,
    state = case when t.state = 'missing' and t.replaced_by is null then 'waiting' else t.state end,
    misses = case when t.state = 'missing' then 0 else t.misses end,
    next_at = case when t.state in ('waiting', 'missing') then excluded.next_at else t.next_at end
)
insert into submissions as s (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, sources,
  base_amount, not_before, attempt, by_merchant, is_assigned, created_at)
select subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, sources, base_amount,
  not_before, attempt, by_merchant, is_assigned, $2::timestamptz
from latest
order by project_id, mode, subject_id, tx_hash
on conflict (project_id, mode, subject_id, tx_hash) do update set
  request_id = excluded.request_id, attempt = excluded.attempt, sources = excluded.sources,
  by_merchant = s.by_merchant or excluded.by_merchant, is_assigned = s.is_assigned or excluded.is_assigned,
  outcome = case when s.outcome = 'counted' then s.outcome end,
  judged_at = case when s.outcome = 'counted' then s.judged_at end
where s.attempt < excluded.attempt
returning s.project_id, s.mode, s.chain_id, s.recipient, s.currency
