-- Leases accounts that stand at the lowest block below a height, all at the same block.
-- @param $1:chainId
-- @param $2:height
-- @param $3:max
-- @param $4:leaseMs
with lowest as (
  select checked_block from book_accounts
  where chain_id = $1 and checked_block < $2 and leased_until < clock_timestamp()
  order by checked_block limit 1
), due as (
  select id from book_accounts
  where chain_id = $1 and checked_block = (select checked_block from lowest) and leased_until < clock_timestamp()
  order by leased_until, id limit $3 for update skip locked
)
update book_accounts b set lease = b.lease + 1,
  leased_until = clock_timestamp() + $4::int * interval '1 millisecond'
from due where b.id = due.id
returning b.id, b.wallet, b.currency, b.checked_block, b.expected, b.balance_block, b.nonce, b.lease
