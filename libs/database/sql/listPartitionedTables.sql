-- Lists the tables with partitions, and for how many seconds these last; 0 without partitions.
select kept.table_name as "table_name!", count(child.oid)::int as "partitions!",
  coalesce(extract(epoch from max(to_timestamp(right(child.relname, 10) || ' +00', 'YYYYMMDDHH24 TZH'))
    + make_interval(hours => kept.span_hours) - now()), 0)::float8 as "ahead_seconds!"
from time_partitions kept
left join pg_inherits link on link.inhparent = to_regclass(kept.table_name)
left join pg_class child on child.oid = link.inhrelid
group by kept.table_name, kept.span_hours
