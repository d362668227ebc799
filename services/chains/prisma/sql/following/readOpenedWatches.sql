-- Reads payments that were opened, or have to be searched again, since the leader read last. Transactions commit out of
-- order: a reading starts at the oldest that was open, and a position from another server's count starts anew. Without a
-- payment the one row has only the horizon.
-- @param $1:chainId
-- @param $2:xid
-- @param $3:projectId
-- @param $4:paymentId
-- @param $5:max
with snapshot as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon)
select snapshot.horizon as "horizon!", w.payment_id, w.project_id as "project_id!", w.mode as "mode!",
  w.request_id as "request_id!", w.chain_id as "chain_id!", w.recipient as "recipient!", w.currency as "currency!",
  w.payer, w.payer_declared_at, w.payer_signed_at, w.base_amount as "base_amount!", w.opened_at as "opened_at!",
  w.expires_at as "expires_at!", w.state as "state!", w.cancelled as "cancelled!", w.unsigned_claims,
  w.version as "version!", w.opened_xid as "opened_xid!", w.again_xid
from snapshot left join lateral (
  select o.* from watches o
  where o.chain_id = $1 and o.state = 'open'
    and (o.opened_xid, o.project_id, o.payment_id) > (case when $3 = '' and $2 > horizon then 0 else $2 end, $3, $4)
  order by o.opened_xid, o.project_id, o.payment_id limit $5) w on true
order by w.opened_xid, w.project_id, w.payment_id
