-- Leases candidates of a chain that are due. They are due again when the lease has run out.
-- @param $1:chainId
-- @param $2:now
-- @param $3:leasedUntil
-- @param $4:max
update candidates c set next_at = $3
where (project_id, id) in (
  select project_id, id from candidates where chain_id = $1 and state = 'waiting' and next_at <= $2
  order by next_at limit $4 for update skip locked)
returning c.*
