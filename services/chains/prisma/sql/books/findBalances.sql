-- What the books say that wallets hold in a currency in which payments of a tenant arrive there, and what is on its way
-- to them at deposit addresses of the tenant.
-- @param $1:projectId
-- @param $2:mode
-- @param {Json} $3:holdings
select b.chain_id, b.wallet, b.currency, b.balance as "balance!", b.balance_block as "balance_block!",
  coalesce((
    select sum(d.amount) from deposits d
    where d.project_id = $1 and d.mode = $2 and d.chain_id = b.chain_id and d.recipient = b.wallet
      and d.currency = b.currency and d.amount > 0), 0) as "unswept!"
from json_to_recordset($3) as h (chain_id bigint, wallet text, currency text)
  join book_accounts b on b.chain_id = h.chain_id and b.wallet = h.wallet and b.currency = h.currency
where b.balance is not null and b.balance_block is not null and exists (
  select from known_recipients k
  where k.project_id = $1 and k.mode = $2 and k.chain_id = b.chain_id and k.recipient = b.wallet
    and k.currency = b.currency and k.sender = '')
