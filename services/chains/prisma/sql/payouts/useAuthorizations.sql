-- Transactions of authorizations came into a block. One that succeeded has spent its authorization.
-- @param $1:mined
-- @param $2:now
with mined as (
  update intents i set mined_tx_hash = m.tx_hash, mined_block = m.block, held_reason = null, next_at = m.next_at
  from json_to_recordset($1) as m (project_id text, mode smallint, subject_id text, tx_hash text, block bigint,
    is_spent boolean, next_at timestamptz)
  where i.project_id = m.project_id and i.mode = m.mode and i.subject_id = m.subject_id and i.state = 'signed'
  returning i.project_id, i.mode, i.subject_id, m.tx_hash, m.is_spent
)
update authorizations a set state = 'used', tx_hash = m.tx_hash, ended_at = coalesce(a.ended_at, $2::timestamptz)
from mined m
where a.project_id = m.project_id and a.mode = m.mode and a.subject_id = m.subject_id and m.is_spent
  and a.state in ('open', 'used')
