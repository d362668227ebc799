-- Stores that the transaction of a payment is in a block. That is no proof yet, so the merchant gets no event.
-- @param {Json} $1:mined
update payments payment set block_number = mined.block_number
from json_to_recordset($1) as mined (project_id text, id text, tx_hash bytea, block_number bigint)
where payment.project_id = mined.project_id and payment.id = mined.id and payment.status = 'processing'
  and payment.tx_hash = mined.tx_hash
