-- Stores another transaction of an intent's nonce; none where another process has stored one, or the intent is mined.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectId
-- @param $4:ordinal
-- @param $5:txHash
-- @param $6:raw
-- @param $7:maxFee
-- @param $8:priorityFee
-- @param $9:now
insert into signed_transactions (project_id, mode, subject_id, ordinal, chain_id, tx_hash, raw, max_fee, priority_fee,
  signed_at)
select project_id, mode, subject_id, $4::smallint, chain_id, $5::text, $6::bytea, $7::numeric, $8::numeric,
  $9::timestamptz
from intents
where project_id = $1 and mode = $2 and subject_id = $3 and state = 'signed' and mined_tx_hash is null
on conflict do nothing
