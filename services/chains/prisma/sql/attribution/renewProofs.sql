-- Gives the proofs of subjects that were submitted again their newer attempt, which makes the published event a new
-- one.
-- @param {Json} $1:submissions
with input as (
  select * from json_to_recordset($1) as input (
    subject_id text, project_id text, mode smallint, attempt integer, request_id text, accepts_surplus boolean)
), latest as (
  select distinct on (project_id, mode, subject_id) * from input
  order by project_id, mode, subject_id, attempt desc
), renewed as (
  update candidates c set attempt = l.attempt, request_id = l.request_id from latest l
  where c.project_id = l.project_id and c.mode = l.mode and c.subject_id = l.subject_id and c.attempt < l.attempt
    and (c.state = 'confirmed' or c.state = 'surplus' and l.accepts_surplus)
  returning c.*
)
select r.*, paid.received as "received!", proof.proof_tx_hash, proof.block_number, proof.block_time, proof.paid_by
from renewed r cross join lateral (
  select sum(t.value) as received
  from allocations a join transfers t on t.id = a.transfer_id where a.candidate_id = r.id
) paid cross join lateral (
  select t.tx_hash as proof_tx_hash, t.block_number, t.block_time, t.sender as paid_by
  from allocations a join transfers t on t.id = a.transfer_id where a.candidate_id = r.id
  order by t.tx_hash = coalesce(r.proving_tx_hash, r.tx_hash) desc, t.value desc, t.ordinal limit 1
) proof
order by r.subject_id, r.state, r.id
