-- A transaction came into a block: its intent keeps it, and its hash becomes a candidate that is never abandoned, because only
-- the wallet's nonce shows whether it can still be mined.
-- @param $1:mined
-- @param $2:now
with mined as (
  update intents i set mined_tx_hash = m.tx_hash, mined_block = m.block, held_reason = null, next_at = m.next_at
  from json_to_recordset($1) as m (project_id text, mode smallint, subject_id text, tx_hash text, block bigint,
    not_before timestamptz, next_at timestamptz)
  where i.project_id = m.project_id and i.mode = m.mode and i.subject_id = m.subject_id and i.state = 'signed'
  returning i.*, m.not_before
)
insert into candidates (subject_id, project_id, mode, request_id, chain_id, tx_hash, recipient, currency, payer,
  merchant_submitted, base_amount, not_before, give_up_at, attempt, next_at, created_at, found)
select subject_id, project_id, mode, request_id, chain_id, mined_tx_hash, destination, currency, source,
  true, base_amount, not_before, $2::timestamptz + interval '100 years', version, $2, $2, true
from mined
on conflict (project_id, mode, subject_id, tx_hash) do update set next_at = excluded.next_at
  where candidates.state = 'waiting'
