-- Leases wallets whose transfers have to be decided, those that wait longest first.
-- @param $1:lease
-- @param $2:now
-- @param $3:leasedUntil
-- @param $4:max
with due as (
  select q.project_id, q.mode, q.chain_id, q.recipient, q.currency from attribution_queue q
  where q.next_at <= $2 and (q.leased_until is null or q.leased_until <= $2) order by q.next_at limit $4 for update skip locked
)
update attribution_queue q set lease = $1, leased_until = $3 from due d
where q.project_id = d.project_id and q.mode = d.mode and q.chain_id = d.chain_id and q.recipient = d.recipient
  and q.currency = d.currency
returning q.project_id, q.mode, q.chain_id, q.recipient, q.currency, q.marks
