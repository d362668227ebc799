-- Counts transfers to recipients of tenants that are not stored, or without what they name.
-- @param $1:chainId
-- @param {Json} $2:transfers
select count(*)::int as "count!"
from json_to_recordset($2) as input (
  tx_hash text, kind text, ordinal int, recipient text, currency text, block_time timestamptz,
  reference text /* null */)
where not exists (
    select from transfers t
    where t.chain_id = $1 and t.tx_hash = input.tx_hash and t.kind = input.kind and t.ordinal = input.ordinal
      and t.status <> 'orphaned' and (t.reference is not null or input.reference is null))
  and exists (
    select from known_recipients k
    where k.chain_id = $1 and k.recipient = coalesce(
        (select d.recipient from deposit_addresses d where d.address = input.recipient), input.recipient)
      and k.currency = input.currency and k.sender = ''
      and input.block_time >= date_trunc('second', k.known_since))
