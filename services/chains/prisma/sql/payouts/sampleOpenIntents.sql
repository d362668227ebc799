-- Counts open intents by chain and reason, with the age in seconds of the oldest that is not mined.
select chain_id::text as "chain!", coalesce(held_reason, 'none') as "reason!", count(*)::int as "count!",
  coalesce(extract(epoch from clock_timestamp() - min(created_at) filter (where mined_tx_hash is null)), 0)::float8
    as "oldest!"
from intents where state in ('waiting', 'signed') group by 1, 2
