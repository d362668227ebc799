-- Events, deliveries and attempts in partitions by the day of the event: what is older than a month leaves with its
-- partition, which costs the same for one row and for a billion. An event, its deliveries and their attempts have the same
-- day, so they leave together and a join reads one partition.
set local lock_timeout = '5s';

-- The day of an event follows from the time at which it occurred, however often it is stored, so the key of its partition
-- refuses a repetition. An event whose day has no partition, because it comes from a clock that is ahead or from before
-- this installation kept days, is of today.
create function event_day(occurred_at timestamptz) returns timestamptz language sql stable parallel safe as $$
  select case
    when day between today - interval '29 days' and today + interval '24 hours'
      and to_regclass('events_' || to_char(day at time zone 'UTC', 'YYYYMMDDHH24')) is not null
    then day else today end
  from (select date_bin('24 hours', occurred_at, '2000-01-01 00:00+00'::timestamptz) as day,
    date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz) as today) days
$$;

-- The tables of before step aside under the names that partitions of their day have.
create function name_of_before(one text) returns text language plpgsql as $$
declare
  day timestamptz;
begin
  execute format('select %s', (select pg_get_expr(adbin, adrelid) from pg_attrdef
    join pg_attribute on attrelid = adrelid and attnum = adnum
    where adrelid = to_regclass(one) and attname = 'day')) into day;
  return one || '_' || to_char(day at time zone 'UTC', 'YYYYMMDDHH24');
end $$;

do $$
declare
  tables constant text[] := array['events', 'deliveries', 'attempts'];
  one text;
  before text;
  index_name text;
begin
  drop index events_received_at_idx, events_project_id_mode_position_key,
    deliveries_event_id_endpoint_id_generation_key;
  foreach one in array tables loop
    before := name_of_before(one);
    execute format('alter table %I rename to %I', one, before);
    execute format('alter table %I drop constraint %I', before, one || '_pkey');
    execute format('alter table %I add constraint %I primary key using index %I',
      before, before || '_pkey', one || '_by_day');
    for index_name in
      select indexname from pg_indexes where tablename = before and schemaname = current_schema() and indexname <> before || '_pkey'
    loop
      execute format('alter index %I rename to %I', index_name, left('before_' || index_name, 63));
    end loop;
    perform set_config('webhooks.before_' || one, before, true);
  end loop;
end $$;

create table events (
  id          text not null,
  project_id  text not null,
  mode        smallint not null,
  type        text not null,
  resource_id text not null,
  sequence    integer not null,
  body        bytea not null,
  position    bigint,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default current_timestamp,
  -- Constant inside a partition.
  day         timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint events_pkey primary key (id, day),
  constraint events_mode_known check (mode in (1, 2)),
  constraint events_body_bounded check (octet_length(body) <= 65536)
) partition by range (day);
create unique index events_project_id_mode_position_day_key on events (project_id, mode, position, day);
create index events_project_id_received_at_idx on events (project_id, received_at desc);
create index events_resource_id_idx on events (resource_id);

create table deliveries (
  id              uuid not null default uuid_of_now(),
  event_id        text not null,
  endpoint_id     text not null,
  generation      smallint not null default 0,
  state           text not null default 'live',
  attempts        smallint not null default 0,
  next_attempt_at timestamptz(6) not null,
  owner           integer,
  created_at      timestamptz(3) not null default current_timestamp,
  finished_at     timestamptz(3),
  day             timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint deliveries_pkey primary key (id, day),
  constraint deliveries_state_known check (state in ('live', 'delivered', 'failed', 'parked')),
  constraint deliveries_attempts_bounded check (attempts between 0 and 4),
  constraint deliveries_end_complete check ((state = 'live') = (finished_at is null)),
  constraint deliveries_end_free check (state = 'live' or owner is null),
  constraint deliveries_live_has_attempts check (state <> 'live' or attempts < 4)
) partition by range (day);
create unique index deliveries_event_id_endpoint_id_generation_day_key
  on deliveries (event_id, endpoint_id, generation, day);
create index deliveries_endpoint_id_created_at_id_idx on deliveries (endpoint_id, created_at desc, id desc);
create index deliveries_backlog on deliveries (endpoint_id, next_attempt_at) where state = 'live' and owner is null;
create index deliveries_owned on deliveries (owner) where state = 'live' and owner is not null;

create table attempts (
  delivery_id       uuid not null,
  number            smallint not null,
  started_at        timestamptz(3) not null,
  duration_ms       integer not null,
  url               text,
  status_code       smallint,
  error             text,
  remote_address    text,
  retry_after       text,
  response          bytea not null,
  response_complete boolean not null,
  day               timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint attempts_pkey primary key (delivery_id, number, day),
  constraint attempts_number_bounded check (number between 1 and 4),
  constraint attempts_response_bounded check (octet_length(response) <= 4096)
) partition by range (day);

-- Their rows are proven to be of that day, and their indexes are the ones that are asked for, so nothing is read.
do $$
declare
  tables constant text[] := array['events', 'deliveries', 'attempts'];
  one text;
  before text;
  day timestamptz;
begin
  foreach one in array tables loop
    before := current_setting('webhooks.before_' || one);
    day := to_timestamp(right(before, 10) || ' +00', 'YYYYMMDDHH24 TZH');
    execute format('alter table %I attach partition %I for values from (%L) to (%L)',
      one, before, day, day + interval '24 hours');
    execute format('alter table %I drop constraint %I', before, one || '_of_before');
    execute format('alter table %I alter column day drop default', before);
  end loop;
end $$;
drop function name_of_before(text);

insert into time_partitions (table_name, span_hours, ahead, kept, options) values
  ('events', 24, 2, 30, ''),
  ('deliveries', 24, 2, 30, 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01'),
  ('attempts', 24, 2, 30, '');
