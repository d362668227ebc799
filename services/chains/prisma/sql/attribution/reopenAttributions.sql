-- Lets transfers be decided again after a word about them: a hash that was submitted or assigned, a signature of their
-- wallet, or a change of their payment.
-- @param {Json} $1:hashes
-- @param {Json} $2:signers
-- @param {Json} $3:payments
with hashes as (
  select * from json_to_recordset($1) as hashes (chain_id bigint, tx_hash text, project_id text, mode smallint)
), signers as (
  select * from json_to_recordset($2) as signers (
    chain_id bigint, sender text, recipient text, since timestamptz, project_id text, mode smallint)
), payments as (
  select * from json_to_recordset($3) as payments (project_id text, payment_id text)
), found as (
  select a.transfer_id, a.project_id, a.mode from hashes h
    join transfers t on t.chain_id = h.chain_id and t.tx_hash = h.tx_hash
    join attributions a on a.transfer_id = t.id and a.project_id = h.project_id and a.mode = h.mode
  where a.payment_id is null
  union
  select a.transfer_id, a.project_id, a.mode from signers s
    join transfers t on t.recipient = s.recipient and t.chain_id = s.chain_id and t.block_time >= s.since
      and t.sender = s.sender
    join attributions a on a.transfer_id = t.id and a.project_id = s.project_id and a.mode = s.mode
  where a.payment_id is null
  union
  select a.transfer_id, a.project_id, a.mode from payments p
    join attributions a on a.project_id = p.project_id and a.payment_id = p.payment_id
)
update attributions a set is_open = true from found f
where a.transfer_id = f.transfer_id and a.project_id = f.project_id and a.mode = f.mode and not a.is_open
