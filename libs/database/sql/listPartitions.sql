-- Lists the partitions of each table, the newest first, with their place in time.
select kept.table_name, kept.used_kept, child.relname as "name!",
  starts.start + (kept.kept + 1) * make_interval(hours => kept.span_hours) <= now() as "is_over!",
  starts.start > now() as "is_ahead!"
from time_partitions kept
join pg_inherits link on link.inhparent = to_regclass(kept.table_name)
join pg_class child on child.oid = link.inhrelid,
  lateral (select to_timestamp(right(child.relname, 10) || ' +00', 'YYYYMMDDHH24 TZH') as start) starts
order by kept.table_name, starts.start desc
