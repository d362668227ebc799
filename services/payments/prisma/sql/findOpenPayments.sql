-- Finds the payments that wait for money at these wallets, of every tenant, up to a bound.
-- @param {Json} $1:wallets Each once, in lower case.
-- @param $2:now
-- @param $3:limit
with wallet as (
  select * from json_to_recordset($1) as input (chain_id bigint, recipient_address text)
), open as (
  select payment.project_id, payment.id from wallet
  join payments payment on wallet_key(payment.chain_id, payment.recipient_address)
      = wallet_key(wallet.chain_id, wallet.recipient_address)
    and payment.chain_id = wallet.chain_id and lower(payment.recipient_address) = wallet.recipient_address
  where payment.status in ('created', 'pending', 'processing')
  union all
  select payment.project_id, payment.id from wallet
  join payments payment on wallet_key(payment.chain_id, payment.recipient_address)
      = wallet_key(wallet.chain_id, wallet.recipient_address)
    and payment.chain_id = wallet.chain_id and lower(payment.recipient_address) = wallet.recipient_address
  where payment.status = 'failed' and payment.expires_at >= $2
  limit $3
)
select payment.* /* except steps */
from open join payments payment on payment.project_id = open.project_id and payment.id = open.id
