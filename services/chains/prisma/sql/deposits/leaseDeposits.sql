-- Leases what is at deposit addresses and has to be read.
-- @param $1:chainId
-- @param $2:now
-- @param $3:leasedUntil
-- @param $4:max
update deposits d set next_at = $3
where d.ctid = any(array(
  select due.ctid from deposits due
  where due.chain_id = $1 and due.next_at <= $2 order by due.next_at limit $4 for update skip locked))
returning d.address, d.currency, d.changed_block
