-- Finds the transfers of candidates, with the subject that each pays.
-- @param $1:projectId
-- @param $2:candidateIds
-- @param $3:max
select c.id as "candidate_id!", c.subject_id as "subject_id!", t.tx_hash as "tx_hash!", t.kind as "kind!",
  t.ordinal as "ordinal!", t.sender as "sender!", t.recipient as "recipient!", t.value as "value!",
  t.block_number as "block_number!", t.block_hash as "block_hash!", t.block_time as "block_time!",
  t.status as "status!", a.created_at as confirmed_at,
  case when a.subject_id is null then 'nothing' when a.subject_id = c.subject_id then 'this' else 'other' end as "pays!"
from candidates c
  join transfers t on t.chain_id = c.chain_id and t.tx_hash in (c.tx_hash, c.proving_tx_hash)
    and t.recipient = c.recipient and t.currency = c.currency
  left join allocations a on a.transfer_id = t.id and a.project_id = c.project_id and a.mode = c.mode
where c.project_id = $1 and c.id = any($2)
order by t.block_number, t.tx_hash, t.kind, t.ordinal limit $3
