-- Leases wallets that wait for an answer, those that wait longest first, without those of busy projects.
-- @param $1:busy Projects.
-- @param $2:now
-- @param $3:leasedUntil
-- @param $4:max
update screenings s set next_at = $3, attempts = s.attempts + 1
where s.ctid = any(array(
  select due.ctid from screenings due
  where due.next_at <= $2 and due.project_id <> all($1) order by due.next_at limit $4 for update skip locked))
returning s.project_id, s.payment_id, s.sender, s.chain_id, s.attempts
