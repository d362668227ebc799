-- Lets transfers be decided again after a word about them: a hash that was submitted or assigned, a signature of their
-- wallet, a change of their payment, or the payment that they name.
-- @param {Json} $1:hashes
-- @param {Json} $2:signers
-- @param {Json} $3:payments
-- @param $4:references
with hashes as (
  select * from json_to_recordset($1) as hashes (chain_id bigint, tx_hash text, project_id text, mode smallint)
), signers as (
  select * from json_to_recordset($2) as signers (
    chain_id bigint, sender text, recipient text, since timestamptz, project_id text, mode smallint)
), payments as (
  select * from json_to_recordset($3) as payments (project_id text, payment_id text)
), named as materialized (
  select t.id, h.project_id, h.mode from hashes h join transfers t using (chain_id, tx_hash)
  union
  select t.id, s.project_id, s.mode from signers s
    join transfers t on t.wallet = s.recipient and t.chain_id = s.chain_id and t.block_time >= s.since
      and t.sender = s.sender
), found as (
  select a.transfer_id, a.project_id, a.mode from named n
    join attributions a on a.transfer_id = n.id and a.project_id = n.project_id and a.mode = n.mode
  where a.payment_id is null
  union
  select a.transfer_id, a.project_id, a.mode
  from transfers t join attributions a on a.transfer_id = t.id
  where t.reference = any($4) and a.payment_id is null
  union
  select a.transfer_id, a.project_id, a.mode from payments p
    join attributions a on a.project_id = p.project_id and a.payment_id = p.payment_id
)
update attributions a set is_open = true from found f
where a.transfer_id = f.transfer_id and a.project_id = f.project_id and a.mode = f.mode and not a.is_open
