-- Ends the leases of wallets that could not be decided. Each fault doubles the pause before the next try.
-- @param {Json} $1:wallets
-- @param $2:lease
-- @param $3:now
update attribution_queue q set lease = null, leased_until = null, faults = q.faults + 1,
  next_at = $3::timestamptz + interval '1 second' * 2 ^ least(q.faults, 9)
from json_to_recordset($1) as i (project_id text, mode smallint, chain_id bigint, recipient text, currency text)
where q.project_id = i.project_id and q.mode = i.mode and q.chain_id = i.chain_id and q.recipient = i.recipient
  and q.currency = i.currency and q.lease = $2
