-- The day by which events leave, with all that was logged of them. What the version before has stored and still stores
-- gets the day of this migration, so the tables of before become the partitions of that day without a row being moved.
do $$
declare
  today constant timestamptz := date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz);
  tables constant text[] := array['events', 'deliveries', 'attempts'];
  one text;
begin
  foreach one in array tables loop
    execute format('alter table %I add column day timestamptz(0) not null default %L', one, today);
    execute format('alter table %I add constraint %I check (day >= %L and day < %L) not valid',
      one, one || '_of_before', today, today + interval '24 hours');
  end loop;
end $$;
