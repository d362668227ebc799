-- Finds payments of a tenant that wait for a person's decision, newest first, after a position. The condition is that of
-- the index payments_undecided.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:createdAt
-- @param $4:id
-- @param $5:limit
select payment.* /* except steps, changed_xid */
from payments payment
where project_id = $1 and mode = $2 and (created_at, id) < ($3, $4)
  and coalesce(reserved_base_amount, 0) = 0 and late_decision is null
  and (needs = 'review' or failure_code in ('underpaid', 'late', 'ambiguous', 'wrong_token'))
order by created_at desc, id desc limit $5
