-- Writes what is at deposit addresses, as of a block. What has changed since it was leased is read again at once.
-- @param $1:chainId
-- @param {Json} $2:deposits
with input as (
  select * from json_to_recordset($2) as input (
    address text, currency text, amount numeric, changed_block bigint, next_at timestamptz /* null */)
)
update deposits d set amount = i.amount,
  next_at = case when d.changed_block = i.changed_block then i.next_at else d.next_at end
from input i
where d.chain_id = $1 and d.address = i.address and d.currency = i.currency
