-- Plans a sweep of the deposit addresses of a recipient: the one of a payment that needs its money, then those whose money
-- waits the longest. A sweep that leaves money there is tried again a day later.
-- @param $1:subjectId
-- @param $2:projectId
-- @param $3:mode
-- @param $4:chainId
-- @param $5:source
-- @param $6:recipient
-- @param $7:currency
-- @param $8:decimals
-- @param $9:sweepMin?
-- @param $10:paymentId?
-- @param $11:max
-- @param $12:now
with waiting as materialized (
  select d.address, d.amount, a.payment_id
  from deposits d join deposit_addresses a on a.address = d.address
  where d.project_id = $2 and d.mode = $3 and d.chain_id = $4 and d.recipient = $6 and d.currency = $7 and d.amount > 0
    and (d.amount >= $9::numeric or a.payment_id = $10::text)
    and d.sweep_id is null and d.sweep_after <= $12 and d.read_block >= d.changed_block
  order by a.payment_id = $10::text desc nulls last, d.sweep_after
  limit $11 for update of d skip locked
), planned as (
  insert into intents (subject_id, kind, project_id, mode, request_id, payment_ids, chain_id, source, destination, currency,
    decimals, base_amount, owed_since, version, next_at, created_at)
  select $1, 'sweep', $2, $3, '', jsonb_agg(payment_id order by address), $4, $5, $6, $7, $8, sum(amount), $12, 1, $12, $12
  from waiting having count(*) > 0
  returning subject_id
), taken as (
  update deposits d set sweep_id = p.subject_id, sweep_after = $12::timestamptz + interval '1 day'
  from waiting w cross join planned p
  where d.chain_id = $4 and d.address = w.address and d.currency = $7
)
select count(*)::int as "planned!" from planned
