-- A transaction came into a block: its intent keeps it, and its hash is verified for as long as it takes, because only the
-- wallet's nonce shows whether it can still be mined. What a sweep has moved is read again instead.
-- @param {Json} $1:mined
-- @param $2:now
with mined as (
  update intents i set mined_tx_hash = m.tx_hash, mined_block = m.block, held_reason = null, next_at = m.next_at
  from json_to_recordset($1) as m (project_id text, mode smallint, subject_id text, tx_hash text, block bigint,
    not_before timestamptz, next_at timestamptz)
  where i.project_id = m.project_id and i.mode = m.mode and i.subject_id = m.subject_id and i.state = 'signed'
  returning i.*, m.not_before
), swept as (
  update deposits d set changed_block = greatest(d.changed_block, m.mined_block), next_at = $2::timestamptz
  from mined m
  where m.kind = 'sweep' and d.project_id = m.project_id and d.mode = m.mode and d.sweep_id = m.subject_id
), searched as (
  insert into transactions as t (chain_id, tx_hash, next_at, created_at, is_submitted)
  select distinct chain_id, mined_tx_hash, $2::timestamptz, $2::timestamptz, true
  from mined where kind = 'transfer' and mined_tx_hash is not null
  order by 1, 2
  on conflict (chain_id, tx_hash) do update set give_up_at = null, is_submitted = true,
    state = case when t.state = 'missing' then 'waiting' else t.state end, next_at = excluded.next_at
)
insert into submissions (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, sources,
  base_amount, not_before, attempt, by_merchant, created_at)
select subject_id, project_id, mode, request_id, chain_id, mined_tx_hash, destination, currency,
  jsonb_build_array(source), base_amount, not_before, version, true, $2::timestamptz
from mined where kind = 'transfer'
on conflict (project_id, mode, subject_id, tx_hash) do nothing
