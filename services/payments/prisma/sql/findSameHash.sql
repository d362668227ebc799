-- Finds the requests whose hash another payment of the same merchant has, too.
-- @param {Json} $1:requests
select requested.ord as "ord!"
from json_to_recordset($1) as requested (
  ord integer, project_id text, mode smallint, chain_id bigint, id text, tx_hash bytea)
cross join lateral (
  select from payments payment
  where payment_key(payment.project_id, payment.mode, encode(payment.tx_hash, 'hex'))
      = payment_key(requested.project_id, requested.mode, encode(requested.tx_hash, 'hex'))
    and payment.chain_id = requested.chain_id and payment.tx_hash = requested.tx_hash and payment.id <> requested.id
    and payment.project_id = requested.project_id and payment.mode = requested.mode
  limit 1
) other
