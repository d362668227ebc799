-- Sums the transfers that a payer's wallet paid a payment with, without the refunds that were signed. It begins with the
-- payments and finds each sum by its keys, also where PostgreSQL has no statistics.
-- @param $1:intents
with refunds as materialized (
  select distinct project_id, mode, payment_id, chain_id, currency, destination
  from json_to_recordset($1) as g (project_id text, mode smallint, subject_id text)
    join intents using (project_id, mode, subject_id)
)
select r.project_id as "project_id!", r.mode as "mode!", r.payment_id as "payment_id!", r.destination, r.currency,
  (paid.sum - refunded.sum) as "refundable!"
from refunds r
  cross join lateral (
    select coalesce(sum(t.value), 0) as sum
    from allocations a join transfers t on t.id = a.transfer_id
    where a.subject_id = r.payment_id and a.project_id = r.project_id and a.mode = r.mode
      and t.status <> 'orphaned' and t.sender = r.destination
      and t.chain_id = r.chain_id and t.currency = r.currency) paid
  cross join lateral (
    select coalesce(sum(i.base_amount), 0) as sum
    from intents i
    where i.project_id = r.project_id and i.mode = r.mode and i.payment_id = r.payment_id
      and i.signed_at is not null and i.failure_reason is null
      and i.chain_id = r.chain_id and i.currency = r.currency and i.destination = r.destination) refunded
