-- Finds the transfers of the transaction that pay something of the tenant already, without a subject, and those of
-- the subjects that fell short, which count towards the sum. A transfer with another reason was not meant for its subject.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:txHash
-- @param $5:recipient
-- @param $6:currency
-- @param $7:subjectIds
with related as (
  select null as subject_id, t.id
  from transfers t join allocations a on a.transfer_id = t.id
  where t.chain_id = $3 and t.tx_hash = $4 and a.project_id = $1 and a.mode = $2
  union all
  select c.subject_id, t.id
  from candidates c join transfers t on t.chain_id = c.chain_id and t.tx_hash = c.tx_hash
  where c.subject_id = any($7) and c.project_id = $1 and c.mode = $2
    and c.state = 'rejected' and c.reason = 'underpaid'
    and c.tx_hash <> $4 and t.status <> 'orphaned' and t.recipient = $5 and t.currency = $6
    and not exists (
      select from allocations a where a.transfer_id = t.id and a.project_id = c.project_id and a.mode = c.mode)
)
select r.subject_id, t.tx_hash, t.kind, t.ordinal, t.currency, t.sender, t.recipient, t.value, t.block_time
from related r join transfers t on t.id = r.id
