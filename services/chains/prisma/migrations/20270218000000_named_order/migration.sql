-- The order in which hashes were named, for those that were found before. What waits already keeps the order of ids: a column
-- without a default changes the catalog alone.
set local lock_timeout = '5s';

alter table candidates add column named_order bigint;
