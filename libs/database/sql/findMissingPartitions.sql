-- Finds the partitions of the present and of the near future that are missing.
-- A partition is named after its table and the hour at which it begins.
select kept.table_name, wanted.start::text as "start!"
from time_partitions kept,
  lateral (select make_interval(hours => kept.span_hours) as length) span,
  generate_series(0, kept.ahead) nth,
  lateral (select date_bin(span.length, now(), timestamptz '2000-01-01 00:00+00') + nth * span.length as start) starts,
  lateral (select starts.start, format('%s_%s', kept.table_name,
    to_char(starts.start at time zone 'UTC', 'YYYYMMDDHH24')) as name) wanted
where to_regclass(wanted.name) is null
