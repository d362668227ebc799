-- Finds the answers about wallets of merchants that no decision has read.
-- @param {Json} $1:wallets
with wallets as (
  select * from json_to_recordset($1) as wallets (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text)
)
select s.project_id, s.payment_id, s.sender
from wallets w join screenings s
  on wallet_key(s.project_id, s.mode, s.chain_id, s.recipient, s.currency)
    = wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency)
where s.next_at is null and not s.is_told
