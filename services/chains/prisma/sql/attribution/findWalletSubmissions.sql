-- Finds the hashes that were submitted for payments, for open subjects of wallets, or by the hash of a transfer.
-- @param {Json} $1:wallets
-- @param {Json} $2:payments
-- @param {Json} $3:hashes
with wallets as (
  select * from json_to_recordset($1) as wallets (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text)
), payments as (
  select * from json_to_recordset($2) as payments (project_id text, mode smallint, payment_id text)
), hashes as (
  select * from json_to_recordset($3) as hashes (chain_id bigint, tx_hash text, project_id text, mode smallint)
), found as (
  select s.project_id, s.mode, s.subject_id, s.tx_hash from wallets w join submissions s
    on wallet_key(s.project_id, s.mode, s.chain_id, s.recipient, s.currency)
      = wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency) and s.outcome is null
  union
  select s.project_id, s.mode, s.subject_id, s.tx_hash from payments p join submissions s
    on s.project_id = p.project_id and s.mode = p.mode and s.subject_id = p.payment_id
  union
  select s.project_id, s.mode, s.subject_id, s.tx_hash from hashes h join submissions s
    on s.chain_id = h.chain_id and s.tx_hash = h.tx_hash and s.project_id = h.project_id and s.mode = h.mode
)
select s.* from found join submissions s using (project_id, mode, subject_id, tx_hash)
order by s.created_at, s.subject_id, s.tx_hash
