-- Finds the transfers of wallets about which nothing is decided. Another wallet may have the same key: its transfers are
-- found too, and not used.
-- @param {Json} $1:wallets
with wallets as (
  select * from json_to_recordset($1) as wallets (
    n integer, project_id text, mode smallint, chain_id bigint, recipient text, currency text)
)
select w.n as "n!", a.transfer_id
from wallets w
  join attributions a on a.wallet_key = wallet_key(w.project_id, w.mode, w.chain_id, w.recipient, w.currency)
    and a.is_open and a.decided_at is null and a.project_id = w.project_id and a.mode = w.mode
