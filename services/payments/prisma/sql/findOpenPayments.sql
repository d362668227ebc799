-- Finds the payments that wait for money at wallets of tenants and changed at or after a transaction, in the order of
-- their changes, up to a bound for each wallet.
-- @param {Json} $1:wallets Addresses in lower case.
-- @param $2:now
-- @param $3:limit
with wallets as (
  select *, wallet_key(project_id, mode, chain_id, recipient_address) as key
  from json_to_recordset($1) as wallets (
    n integer, project_id text, mode smallint, chain_id bigint, recipient_address text, xid bigint, payment_id text)
)
select w.n as "n!", open.changed_xid as "changed_xid!", open.id as "id!", open.project_id as "project_id!",
  open.mode as "mode!", open.status as "status!", open.base_amount as "base_amount!", open.chain_id as "chain_id!",
  open.currency as "currency!", open.recipient_address as "recipient_address!", open.created_at as "created_at!",
  open.expires_at as "expires_at!", open.closed_at, open.payer_address, open.payer_signed_at, open.late_decision,
  open.unnamed_transfers, open.version as "version!", open.pay_to
from wallets w cross join lateral (
  (select p.changed_xid, p.id, p.project_id, p.mode, p.status, p.base_amount, p.chain_id, p.currency,
      p.recipient_address, p.created_at, p.expires_at, p.closed_at, p.payer_address, p.payer_signed_at,
      p.late_decision, p.unnamed_transfers, p.version, p.pay_to
    from payments p
    where wallet_key(p.project_id, p.mode, p.chain_id, p.recipient_address) = w.key and p.project_id = w.project_id
      and p.mode = w.mode and p.chain_id = w.chain_id and lower(p.recipient_address) = w.recipient_address
      and p.status in ('created', 'pending', 'processing')
      and p.changed_xid >= w.xid and (p.changed_xid, p.id) > (w.xid, w.payment_id)
    order by p.changed_xid, p.id limit $3)
  union all
  (select p.changed_xid, p.id, p.project_id, p.mode, p.status, p.base_amount, p.chain_id, p.currency,
      p.recipient_address, p.created_at, p.expires_at, p.closed_at, p.payer_address, p.payer_signed_at,
      p.late_decision, p.unnamed_transfers, p.version, p.pay_to
    from payments p
    where wallet_key(p.project_id, p.mode, p.chain_id, p.recipient_address) = w.key and p.project_id = w.project_id
      and p.mode = w.mode and p.chain_id = w.chain_id and lower(p.recipient_address) = w.recipient_address
      and p.status = 'failed' and p.expires_at >= $2
      and p.changed_xid >= w.xid and (p.changed_xid, p.id) > (w.xid, w.payment_id)
    order by p.changed_xid, p.id limit $3)
  order by changed_xid, id limit $3
) open
order by w.n, open.changed_xid, open.id
