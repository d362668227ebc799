-- Finds the payments of wallets that ask for the hash of a transfer that no provider traces.
-- @param {Json} $1:wallets
with wallets as (
  select * from json_to_recordset($1) as wallets (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text)
)
select w.project_id, w.payment_id
from wallets i join watches w
  on wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency)
    = wallet_key(i.project_id, i.mode, i.chain_id, i.recipient, i.currency)
where w.is_untraced and w.paid_block is null
