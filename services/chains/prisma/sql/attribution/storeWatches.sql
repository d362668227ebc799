-- Stores open payments as their newest events have them. A payment that is opened again, or may be paid by more
-- transfers than before, is searched again; while it was closed its recipient may not have been followed.
-- @param {Json} $1:watches
with input as (
  select * from json_to_recordset($1) as input (
    payment_id text, project_id text, mode smallint, request_id text, chain_id bigint, recipient text, currency text,
    payer text /* null */, payer_declared_at timestamptz /* null */, payer_signed_at timestamptz /* null */,
    base_amount numeric, opened_at timestamptz, expires_at timestamptz, state text, version integer,
    unsigned_claims text /* null */, cancelled boolean)
)
insert into watches as w (payment_id, project_id, mode, request_id, chain_id, recipient, currency, payer,
  payer_declared_at, payer_signed_at, base_amount, opened_at, expires_at, state, version, unsigned_claims, cancelled,
  opened_xid)
select distinct on (project_id, payment_id) payment_id, project_id, mode, request_id, chain_id, recipient,
  currency, payer, payer_declared_at, payer_signed_at, base_amount, opened_at, expires_at, state, version,
  unsigned_claims, cancelled, current_xid()
from input
order by project_id, payment_id, version desc
on conflict (project_id, payment_id) do update set
  payer = excluded.payer, payer_declared_at = excluded.payer_declared_at,
  payer_signed_at = excluded.payer_signed_at, request_id = excluded.request_id,
  expires_at = excluded.expires_at, state = excluded.state, version = excluded.version,
  cancelled = excluded.cancelled,
  opened_xid = case
    when excluded.state = 'open' and (w.state = 'closed' or excluded.expires_at > w.expires_at
      or excluded.payer is distinct from w.payer or excluded.payer_signed_at is distinct from w.payer_signed_at)
    then excluded.opened_xid else w.opened_xid end,
  again_xid = case
    when excluded.state = 'open' and w.state = 'closed' then null
    when excluded.state = 'open' and (excluded.expires_at > w.expires_at
      or excluded.payer is distinct from w.payer or excluded.payer_signed_at is distinct from w.payer_signed_at)
    then rematch_xid(w) else w.again_xid end
where w.version < excluded.version
