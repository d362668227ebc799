-- Finds the transactions of a payment, for an explanation.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:subjectId
-- @param $4:max
select id, chain_id, tx_hash, found, asked_at, merchant_submitted, state, reason, waits_for, proving_tx_hash,
  created_at, first_seen_at, looked_at, judged_at, mined_block, chain_head, providers_agreeing, providers_contradicting,
  payer, base_amount, not_before, not_after
from candidates where subject_id = $3 and project_id = $1 and mode = $2
order by created_at, id limit $4
