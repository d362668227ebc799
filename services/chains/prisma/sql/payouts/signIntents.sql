-- Stores nonces and signed bytes of waiting intents, before anything is sent.
-- @param $1:signings
-- @param $2:chainId
-- @param $3:now
-- @param $4:block
-- @param $5:nextAt
with given as (
  select * from json_to_recordset($1) as g (project_id text, mode smallint, subject_id text, nonce bigint,
    gas_limit bigint, tx_hash text, raw bytea, max_fee numeric, priority_fee numeric)
), signed as (
  update intents i set state = 'signed', nonce = g.nonce, gas_limit = g.gas_limit, signed_at = $3, signed_block = $4,
    held_reason = null, next_at = $5
  from given g
  where i.project_id = g.project_id and i.mode = g.mode and i.subject_id = g.subject_id and i.state = 'waiting'
  returning i.project_id, i.mode, i.subject_id
)
insert into signed_transactions (project_id, mode, subject_id, ordinal, chain_id, tx_hash, raw, max_fee, priority_fee,
  signed_at)
select project_id, mode, subject_id, 1, $2, g.tx_hash, g.raw, g.max_fee, g.priority_fee, $3
from given g join signed using (project_id, mode, subject_id)
