-- Sums by currency what a wallet has signed: not mined yet, with the fees of the highest transaction, and within a day.
-- @param $1:chainId
-- @param $2:source
-- @param $3:now
select i.currency as "currency!",
  count(*) filter (where i.state = 'signed' and i.mined_tx_hash is null)::int as "count!",
  coalesce(sum(i.base_amount) filter (where i.kind = 'transfer' and i.state = 'signed' and i.mined_tx_hash is null), 0)
    as "in_flight!",
  coalesce(sum(i.gas_limit * f.max_fee) filter (where i.state = 'signed' and i.mined_tx_hash is null), 0) as "cost!",
  coalesce(sum(i.base_amount) filter (where i.kind = 'transfer' and i.signed_at > $3::timestamptz - interval '24 hours'
    and i.failure_reason is null), 0) as "today!"
from intents i
  left join lateral (
    select max(max_fee) as max_fee from signed_transactions t
    where t.project_id = i.project_id and t.mode = i.mode and t.subject_id = i.subject_id
      and i.state = 'signed' and i.mined_tx_hash is null) f on true
where i.chain_id = $1 and i.source = $2
  and (i.signed_at > $3::timestamptz - interval '24 hours' or i.state = 'signed')
group by i.currency
