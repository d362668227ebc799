-- Leases intents of a wallet that may be signed now; many sweeps do not delay a refund.
-- @param $1:chainId
-- @param $2:source
-- @param $3:now
-- @param $4:leaseMs
-- @param $5:max
update intents i set next_at = $3::timestamptz + $4::int * interval '1 millisecond'
where (project_id, mode, subject_id) in (
  select project_id, mode, subject_id from intents
  where chain_id = $1 and source = $2 and state = 'waiting' and next_at <= $3
  order by kind = 'sweep', next_at, created_at limit $5 for update skip locked)
returning i.*
