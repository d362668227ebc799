-- Locks the next window of time to compare. It stays behind the oldest open transaction, because allocations carry the time at
-- which theirs began; no transaction of the service lives for a minute.
-- @param $1:chainId
select compared_until as since, least(compared_until + interval '10 minutes', greatest(
  clock_timestamp() - interval '60 seconds', (
    select min(xact_start) - interval '1 second' from pg_stat_activity where datname = current_database()
  ))) as "until!"
from book_cursors where chain_id = $1 for update skip locked
