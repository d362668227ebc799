-- Finds the oldest record of each wallet that is not erased: the wallet's payments are linked to it.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:wallets
select distinct on (customer.wallet_address) customer.* /* except deleted_at */
from customers customer
where customer.project_id = $1 and customer.mode = $2 and customer.wallet_address = any($3)
  and customer.deleted_at is null
order by customer.wallet_address, customer.created_at, customer.id
