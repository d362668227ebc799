-- Finds the transfers that count for payments or refunds of a tenant, in the order in which they were mined: those
-- that proved them, and those that were not enough yet.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectIds
with subjects as (
  select id, subject_id, chain_id, tx_hash, recipient, currency, payer, other_payers, state, reason
  from candidates where subject_id = any($3) and project_id = $1 and mode = $2
), counted as (
  select s.subject_id, a.transfer_id, a.created_at as confirmed_at
  from subjects s join allocations a on a.candidate_id = s.id
  union all
  select s.subject_id, t.id, null
  from subjects s join transfers t on t.chain_id = s.chain_id and t.tx_hash = s.tx_hash
    and t.recipient = s.recipient and t.currency = s.currency and t.status <> 'orphaned'
  where s.state = 'rejected' and s.reason = 'underpaid'
    and (s.payer is null or t.sender = s.payer or s.other_payers ? t.sender)
    and not exists (
      select from allocations a where a.transfer_id = t.id and a.project_id = $1 and a.mode = $2)
)
select c.subject_id as "subject_id!", t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.value, t.block_number,
  t.block_time, c.confirmed_at
from counted c join transfers t on t.id = c.transfer_id
order by t.block_number, t.tx_hash, t.ordinal
