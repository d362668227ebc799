-- Frees the transfers of candidates whose proofs are revoked, and verifies the candidates again.
-- @param {Json} $1:candidates
-- @param $2:now
-- @param $3:giveUpAt
with input as (
  select * from json_to_recordset($1) as input (project_id text, id bigint)
), freed as (
  delete from allocations a using input
  where a.project_id = input.project_id and a.candidate_id = input.id
)
update candidates c set
  epoch = epoch + 1, state = 'waiting', reason = null, judged_at = null, proving_tx_hash = null,
  next_at = $2, misses = 0, give_up_at = $3,
  reorged_at = case when state = 'confirmed' then $2 else reorged_at end
from input
where c.project_id = input.project_id and c.id = input.id
