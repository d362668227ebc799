-- Lets transactions be verified that are not yet.
-- @param {Json} $1:transactions
-- @param $2:now
insert into transactions as t (chain_id, tx_hash, next_at, give_up_at, created_at)
select distinct on (chain_id, tx_hash) chain_id, tx_hash, $2::timestamptz, give_up_at, $2::timestamptz
from json_to_recordset($1) as input (chain_id bigint, tx_hash text, give_up_at timestamptz /* null */)
order by chain_id, tx_hash
on conflict (chain_id, tx_hash) do nothing
