-- Finds the wallets of transfers that name one of these payments and are for none.
-- @param $1:references
select distinct a.project_id, a.mode, t.chain_id, t.wallet as recipient, t.currency
from transfers t join attributions a on a.transfer_id = t.id
where t.reference = any($1) and a.payment_id is null
