-- Counts the dead letters.
select count(*)::int as "count!" from dead_letters
