-- Finds which senders of transfers are the tenant's own: wallets of the project, and wallets whose transfers to this
-- wallet are refunds or settlements; and which are deposit addresses, of whichever tenant.
-- @param {Json} $1:senders
with senders as (
  select * from json_to_recordset($1) as senders (
    n integer, project_id text, mode smallint, chain_id bigint, recipient text, currency text, sender text)
)
select s.n as "n!", s.sender as "sender!",
  exists (select from own_wallets o where o.project_id = s.project_id and o.address = s.sender) as "is_own!",
  exists (
    select from expected_payouts e
    where wallet_key(e.project_id, e.mode, e.chain_id, e.destination, e.currency)
        = wallet_key(s.project_id, s.mode, s.chain_id, s.recipient, s.currency)
      and e.source = s.sender) as "is_payout!",
  exists (select from deposit_addresses d where d.address = s.sender) as "is_sweep!"
from senders s
