-- Writes what is at deposit addresses, as of a block. What has changed since it was leased is read again at once.
-- @param $1:chainId
-- @param {Json} $2:deposits
-- @param $3:block
-- @param $4:now
with input as (
  select * from json_to_recordset($2) as input (
    address text, currency text, amount numeric, changed_block bigint, next_at timestamptz /* null */)
)
update deposits d set amount = i.amount, read_block = $3,
  next_at = case when d.changed_block = i.changed_block then i.next_at else d.next_at end,
  sweep_after = case when i.amount > 0 then coalesce(d.sweep_after, $4) end
from input i
where d.chain_id = $1 and d.address = i.address and d.currency = i.currency
