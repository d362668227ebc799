-- Finds the payments of references, of whichever tenant they are.
-- @param $1:references
select w.reference, w.project_id, w.mode, w.payment_id, w.chain_id, w.recipient, w.currency
from watches w where w.reference = any($1)
