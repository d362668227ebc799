-- Stores payments as their newest events have them.
-- @param {Json} $1:watches
with input as (
  select * from json_to_recordset($1) as input (
    payment_id text, project_id text, mode smallint, request_id text, chain_id bigint, recipient text, currency text,
    base_amount numeric, opened_at timestamptz, expires_at timestamptz, ends_at timestamptz, signed_by text /* null */,
    is_held boolean, closed_at timestamptz /* null */, is_accepted boolean, is_followed boolean, version integer,
    reference text, pay_to text /* null */)
), deposits as (
  insert into deposit_addresses (address, project_id, mode, payment_id, recipient, reference)
  select distinct on (pay_to) pay_to, project_id, mode, payment_id, recipient, reference from input
  where pay_to is not null
  order by pay_to
  on conflict (address) do nothing
)
insert into watches as w (payment_id, project_id, mode, request_id, chain_id, recipient, currency, base_amount,
  opened_at, expires_at, ends_at, signed_by, is_held, closed_at, is_accepted, is_followed, version, reference,
  pay_to, opened_xid)
select distinct on (project_id, payment_id) payment_id, project_id, mode, request_id, chain_id, recipient, currency,
  base_amount, opened_at, expires_at, ends_at, signed_by, is_held, closed_at, is_accepted, is_followed, version,
  reference, pay_to, current_xid()
from input
order by project_id, payment_id, version desc
on conflict (project_id, payment_id) do update set
  request_id = excluded.request_id, expires_at = excluded.expires_at, ends_at = excluded.ends_at,
  signed_by = excluded.signed_by, is_held = excluded.is_held, closed_at = excluded.closed_at,
  is_accepted = excluded.is_accepted, is_followed = excluded.is_followed, version = excluded.version,
  opened_xid = case
    when excluded.is_followed and not w.is_followed then excluded.opened_xid else w.opened_xid end
where w.version < excluded.version
