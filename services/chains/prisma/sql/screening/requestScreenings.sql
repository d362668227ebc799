-- Stores wallets that wait for an answer. Each is asked for once for a payment.
-- @param {Json} $1:screenings
-- @param $2:now
insert into screenings (project_id, mode, payment_id, sender, chain_id, recipient, currency, next_at)
select project_id, mode, payment_id, sender, chain_id, recipient, currency, $2::timestamptz
from json_to_recordset($1) as input (
  project_id text, mode smallint, payment_id text, sender text, chain_id bigint, recipient text, currency text)
order by project_id, payment_id, sender
on conflict (project_id, payment_id, sender) do nothing
