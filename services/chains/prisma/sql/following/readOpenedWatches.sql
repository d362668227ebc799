-- Reads payments that were opened since the leader read last. Transactions commit out of order: a reading starts at the
-- oldest that was open, and a position from another server's count starts anew. Without a payment the one row has only
-- the horizon.
-- @param $1:chainId
-- @param $2:xid
-- @param $3:projectId
-- @param $4:paymentId
-- @param $5:max
with snapshot as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon)
select snapshot.horizon as "horizon!", w.payment_id, w.project_id as "project_id!", w.recipient as "recipient!",
  w.pay_to,
  w.currency as "currency!", w.opened_at as "opened_at!", w.opened_xid as "opened_xid!"
from snapshot left join lateral (
  select o.* from watches o
  where o.chain_id = $1 and o.is_followed
    and (o.opened_xid, o.project_id, o.payment_id) > (case when $3 = '' and $2 > horizon then 0 else $2 end, $3, $4)
  order by o.opened_xid, o.project_id, o.payment_id limit $5) w on true
order by w.opened_xid, w.project_id, w.payment_id
