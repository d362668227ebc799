-- Finds the transfers that are for payments or refunds of a tenant, in the order in which they were mined; those without
-- a time are not proven yet.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectIds
with counted as (
  select a.subject_id, a.transfer_id, a.created_at as confirmed_at, (
      select d.rule from attributions d
      where d.transfer_id = a.transfer_id and d.project_id = a.project_id and d.mode = a.mode) as rule
  from allocations a where a.subject_id = any($3) and a.project_id = $1 and a.mode = $2
  union all
  select d.payment_id, d.transfer_id, null, d.rule from attributions d
  where d.payment_id = any($3) and d.project_id = $1 and d.mode = $2
    and not exists (
      select from allocations a
      where a.transfer_id = d.transfer_id and a.project_id = d.project_id and a.mode = d.mode)
)
select c.subject_id as "subject_id!", t.tx_hash, t.kind, t.ordinal, t.sender, t.recipient, t.value, t.block_number,
  t.block_time, c.confirmed_at, c.rule
from counted c join transfers t on t.id = c.transfer_id
where t.status <> 'orphaned'
order by t.block_number, t.tx_hash, t.ordinal
