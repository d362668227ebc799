-- Tables whose rows leave by time, see libs/database/src/partitions/partitions.ts.
create table time_partitions (
  table_name text not null,
  -- How long one partition is.
  span_hours integer not null,
  -- Partitions that exist before their time.
  ahead      integer not null,
  -- Partitions that are kept after their time.
  kept       integer not null,
  -- The newest ones with rows, which are kept however old they are.
  used_kept  integer not null default 0,
  -- Storage parameters of a partition, e.g. fillfactor = 70.
  options    text not null default '',

  constraint time_partitions_pkey primary key (table_name),
  constraint time_partitions_span_even check (span_hours in (1, 2, 3, 4, 6, 8, 12, 24)),
  constraint time_partitions_bounded check (ahead between 1 and 100 and kept between 1 and 1000 and used_kept >= 0)
);

-- Webhook endpoints of a project, each for one mode.
create table endpoints (
  id                    text not null,
  project_id            text not null,
  mode                  smallint not null,
  -- Only the default endpoint of a mode has a name; its url follows the project's callbackUrl.
  name                  text,
  -- Null: nothing is delivered.
  url                   text,
  -- Event types to deliver; empty means all.
  events                text[] not null default '{}',
  enabled               boolean not null default true,
  -- Set where the service disabled the endpoint, null where its merchant did.
  disabled_reason       text,
  -- Failures before this time do not disable the endpoint.
  failures_counted_from timestamptz(3) not null default current_timestamp,
  signature_scheme      text not null default 'v1',
  -- Most requests in flight at once.
  concurrency_max       smallint not null default 8,
  -- Fields that the bodies of payment events have besides.
  include               text[] not null default '{}',
  -- Version of the project that url comes from; an older project event changes nothing.
  project_version       integer not null default 0,
  created_at            timestamptz(3) not null default current_timestamp,
  updated_at            timestamptz(3) not null default current_timestamp,

  constraint endpoints_pkey primary key (id),
  constraint endpoints_mode_known check (mode in (1, 2)),
  constraint endpoints_name_of_mode check (name is null or (name, mode) in (('default', 1), ('default-test', 2))),
  constraint endpoints_url_bounded check (octet_length(url) <= 2048),
  constraint endpoints_disabled_reason_known
    check (disabled_reason is null or (disabled_reason = 'failing' and not enabled)),
  constraint endpoints_signature_scheme_known check (signature_scheme in ('v1', 'sha256', 'standard')),
  constraint endpoints_concurrency_bounded check (concurrency_max between 1 and 64),
  constraint endpoints_include_known
    check (include <@ array['receivedAmount', 'refundedAmount', 'failureCode', 'metadata'])
);
create unique index endpoints_project_id_id_key on endpoints (project_id, id);
-- One default endpoint per mode; null names do not conflict.
create unique index endpoints_project_id_name_key on endpoints (project_id, name);

-- Signing secrets. The highest seq whose active_at has passed is in force; a later active_at makes it the next one.
create table secrets (
  project_id  text not null,
  endpoint_id text not null,
  seq         smallint not null,
  sealed      bytea not null,
  -- When the merchant saw it; a secret is shown once.
  shown_at    timestamptz(3),
  -- Cut, because a rounded one would come into force after the statement that created it.
  active_at   timestamptz(3) not null default date_trunc('milliseconds', current_timestamp),
  created_at  timestamptz(3) not null default current_timestamp,

  constraint secrets_pkey primary key (project_id, endpoint_id, seq),
  constraint secrets_project_id_endpoint_id_fkey foreign key (project_id, endpoint_id)
    references endpoints (project_id, id) on delete cascade on update cascade
);
-- Workers look secrets up by endpoint alone.
create index secrets_endpoint_id_idx on secrets (endpoint_id);

create function find_next_secret_at(endpoint endpoints) returns timestamptz language sql stable as $$
  select max(active_at) from secrets
  where project_id = endpoint.project_id and endpoint_id = endpoint.id and active_at > now()
$$;

-- The API key that requested a change. The transaction names it in a setting, so that triggers can read it; null where
-- the service itself makes the change.
create function get_changed_by() returns text language sql stable parallel safe as $$
  select nullif(current_setting('webhooks.changed_by', true), '')
$$;

-- History of endpoints and their secrets, written by triggers. It stays after the endpoint is deleted.
create table endpoint_changes (
  id          bigserial not null,
  endpoint_id text not null,
  project_id  text not null,
  mode        smallint not null,
  change      text not null,
  -- Of the endpoint after the change.
  url         text,
  happened_at timestamptz(3) not null default current_timestamp,
  changed_by  text default get_changed_by(),

  constraint endpoint_changes_pkey primary key (project_id, endpoint_id, id),
  constraint endpoint_changes_change_known check (change in ('created', 'url_changed', 'settings_changed', 'enabled',
    'disabled', 'disabled_failing', 'secret_added', 'secret_activated', 'deleted'))
);

-- Position of the newest event of a project and mode. The row's lock lasts until the commit, so a reader that sees a
-- position sees all lower ones.
create table event_feeds (
  project_id    text not null,
  mode          smallint not null,
  last_position bigint not null,

  constraint event_feeds_pkey primary key (project_id, mode),
  constraint event_feeds_mode_known check (mode in (1, 2))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Events, deliveries and attempts share the day of their event: they leave together, and a join reads one partition.
-- They have no foreign keys, because a check for each row would cost more than the row.
create table events (
  id          text not null,
  project_id  text not null,
  mode        smallint not null,
  type        text not null,
  resource_id text not null,
  sequence    integer not null,
  -- The exact bytes that every attempt sends.
  body        bytea not null,
  -- Fields that an endpoint of the project includes, see src/domain/included-fields.ts.
  included    bytea,
  -- Order in the feed of its project and mode; a ping has none.
  position    bigint,
  occurred_at timestamptz(3) not null,
  -- Of the merchant's request that caused it, with its trace; empty where there was none.
  request_id  text not null default '',
  received_at timestamptz(3) not null default current_timestamp,
  day         timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint events_pkey primary key (id, day),
  constraint events_mode_known check (mode in (1, 2)),
  constraint events_body_bounded check (octet_length(body) + coalesce(octet_length(included), 0) <= 65536)
) partition by range (day);
create unique index events_project_id_mode_position_day_key on events (project_id, mode, position, day);
create index events_resource_id_idx on events (resource_id);

-- UUID version 7, so that the primary key's index grows at its end.
create function new_delivery_id() returns uuid language sql volatile parallel safe as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send(floor(extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

create table deliveries (
  id              uuid not null default new_delivery_id(),
  event_id        text not null,
  endpoint_id     text not null,
  -- 0 for the first delivery of the event to the endpoint, one more for each redelivery.
  redeliveries    smallint not null default 0,
  -- Parked: due while the endpoint was disabled; it can be recovered.
  state           text not null default 'pending',
  attempts        smallint not null default 0,
  next_attempt_at timestamptz(6) not null,
  -- The worker that has it in memory.
  owner           integer,
  created_at      timestamptz(3) not null default current_timestamp,
  finished_at     timestamptz(3),
  day             timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint deliveries_pkey primary key (id, day),
  constraint deliveries_state_known check (state in ('pending', 'delivered', 'failed', 'parked')),
  constraint deliveries_attempts_bounded check (attempts between 0 and 4),
  constraint deliveries_finished_at_set check ((state = 'pending') = (finished_at is null)),
  constraint deliveries_finished_has_no_owner check (state = 'pending' or owner is null),
  constraint deliveries_pending_has_attempts_left check (state <> 'pending' or attempts < 4)
) partition by range (day);
-- At most one delivery per event, endpoint and redelivery, however often the event is received.
create unique index deliveries_event_id_endpoint_id_redeliveries_day_key
  on deliveries (event_id, endpoint_id, redeliveries, day);
create index deliveries_endpoint_id_created_at_id_idx on deliveries (endpoint_id, created_at desc, id desc);
-- Both hold pending rows only and stay small. Prisma's schema cannot express partial indexes.
create index deliveries_backlog on deliveries (endpoint_id, next_attempt_at) where state = 'pending' and owner is null;
create index deliveries_owned on deliveries (owner) where state = 'pending' and owner is not null;

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
  -- The first bytes of the response body.
  response          bytea not null,
  response_complete boolean not null,
  day               timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint attempts_pkey primary key (delivery_id, number, day),
  constraint attempts_number_bounded check (number between 1 and 4),
  constraint attempts_response_bounded check (octet_length(response) <= 4096)
) partition by range (day);

insert into time_partitions (table_name, span_hours, ahead, kept, options) values
  ('events', 24, 2, 30, ''),
  ('deliveries', 24, 2, 30, 'fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01'),
  ('attempts', 24, 2, 30, '');

-- Running processes of the service. A worker whose row is deleted owns nothing.
create table workers (
  id           serial not null,
  host         text not null,
  heartbeat_at timestamptz(3) not null default current_timestamp,

  constraint workers_pkey primary key (id)
);

-- Load of endpoints as merchants see it. A worker writes a row while the load of an endpoint differs from that of an
-- endpoint at rest; the rows leave with the worker.
create table endpoint_loads (
  endpoint_id text not null,
  worker      integer not null,
  -- Limit of requests in flight that the worker has found.
  concurrency smallint not null,
  -- Deliveries in the worker's memory that are due and wait for a slot.
  backlog     integer not null,

  constraint endpoint_loads_pkey primary key (endpoint_id, worker),
  constraint endpoint_loads_worker_fkey foreign key (worker) references workers (id) on delete cascade on update cascade
) with (fillfactor = 50);
create index endpoint_loads_worker_idx on endpoint_loads (worker);

-- Attempts at endpoints by the hour in which they ended. Each worker writes rows of its own, so that none waits.
create table endpoint_hours (
  endpoint_id text not null,
  hour        timestamptz(0) not null,
  worker      integer not null,
  succeeded   integer not null,
  failed      integer not null,

  constraint endpoint_hours_pkey primary key (endpoint_id, hour, worker)
) partition by range (hour);
insert into time_partitions (table_name, span_hours, ahead, kept, options) values
  ('endpoint_hours', 24, 2, 2, 'fillfactor = 50');

-- Events already handled, by consumer, with a partition for each day (chains, payments, refunds, webhooks).
create table inbox_ids (
  consumer text not null,
  event_id text not null,
  -- Constant inside a partition, so that the primary key refuses a second row of an event there.
  day      timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint inbox_ids_pkey primary key (consumer, event_id, day)
) partition by range (day);
insert into time_partitions (table_name, span_hours, ahead, kept, used_kept) values ('inbox_ids', 24, 3, 7, 7);

-- The last record of each partition of a topic that a consumer has handled.
create table inbox_positions (
  consumer      text not null,
  topic         text not null,
  partition     integer not null,
  record_offset bigint not null,

  constraint inbox_positions_pkey primary key (consumer, topic, partition)
) with (fillfactor = 50);

-- Events that could not be handled; an operator decides about them.
create table dead_letters (
  id         bigserial not null,
  consumer   text not null,
  topic      text not null,
  event_id   text,
  payload    bytea not null,
  error      text not null,
  created_at timestamptz(3) not null default current_timestamp,
  -- When an operator requested the replay.
  replay_at  timestamptz(3),

  constraint dead_letters_pkey primary key (id)
);

-- The day of an event follows from its time, however often it is stored, so the partition's key rejects a duplicate.
-- A day without a partition (a clock that is ahead, an event older than the retention) becomes today.
create function get_event_day(occurred_at timestamptz) returns timestamptz language sql stable parallel safe as $$
  select case
    when day between today - interval '29 days' and today + interval '24 hours'
      and to_regclass('events_' || to_char(day at time zone 'UTC', 'YYYYMMDDHH24')) is not null
    then day else today end
  from (select date_bin('24 hours', occurred_at, '2000-01-01 00:00+00'::timestamptz) as day,
    date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz) as today) days
$$;

-- An endpoint that is enabled again or has another url starts without failures, whichever statement changes it.
create function endpoints_reset_failures() returns trigger language plpgsql as $$
begin
  if new.enabled then
    new.disabled_reason := null;
  end if;
  if (new.enabled and not old.enabled) or new.url is distinct from old.url then
    new.failures_counted_from := current_timestamp;
  end if;
  return new;
end $$;
create trigger endpoints_reset_failures before update on endpoints
  for each row execute function endpoints_reset_failures();

create function endpoints_record_changes() returns trigger language plpgsql as $$
declare
  changes text[] := '{}';
begin
  if tg_op = 'INSERT' then
    changes := array['created'];
  elsif tg_op = 'DELETE' then
    insert into endpoint_changes (endpoint_id, project_id, mode, change, url)
      values (old.id, old.project_id, old.mode, 'deleted', old.url);
    return null;
  else
    if new.url is distinct from old.url then
      changes := changes || 'url_changed'::text;
    end if;
    if (new.events, new.signature_scheme, new.concurrency_max, new.include)
        is distinct from (old.events, old.signature_scheme, old.concurrency_max, old.include) then
      changes := changes || 'settings_changed'::text;
    end if;
    if new.enabled and not old.enabled then
      changes := changes || 'enabled'::text;
    elsif old.enabled and not new.enabled then
      changes := changes || case when new.disabled_reason = 'failing' then 'disabled_failing' else 'disabled' end::text;
    end if;
  end if;
  insert into endpoint_changes (endpoint_id, project_id, mode, change, url)
    select new.id, new.project_id, new.mode, change, new.url from unnest(changes) as change;
  return null;
end $$;
create trigger endpoints_record_changes after insert or update or delete on endpoints
  for each row execute function endpoints_record_changes();

create function secrets_record_changes() returns trigger language plpgsql as $$
begin
  if (tg_op = 'INSERT' and new.seq > 1) or (tg_op = 'UPDATE' and new.active_at <> old.active_at) then
    insert into endpoint_changes (endpoint_id, project_id, mode, change, url)
      select id, project_id, mode, case tg_op when 'INSERT' then 'secret_added' else 'secret_activated' end, url
      from endpoints where project_id = new.project_id and id = new.endpoint_id;
  end if;
  return null;
end $$;
create trigger secrets_record_changes after insert or update on secrets
  for each row execute function secrets_record_changes();
