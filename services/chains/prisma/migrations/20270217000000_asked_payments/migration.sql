-- Transactions that only the chain has named are judged after payments has answered. What waits already is judged as
-- before: a column without a default changes the catalog alone.
set local lock_timeout = '5s';

alter table candidates add column asked_at timestamptz;
