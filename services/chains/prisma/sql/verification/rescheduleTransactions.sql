-- Moves the next verification of transactions that were not looked at.
-- @param {Json} $1:transactions
update transactions t set next_at = i.next_at
from json_to_recordset($1) as i (chain_id bigint, tx_hash text, next_at timestamptz)
where t.chain_id = i.chain_id and t.tx_hash = i.tx_hash and t.state = 'waiting'
