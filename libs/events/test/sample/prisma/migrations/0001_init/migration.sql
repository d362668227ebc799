-- The shared tables of a service that consumes events, and one table for the effects of events under test.
create table effects (
  id          bigserial not null,
  event_id    text not null,
  project_id  text not null,
  resource_id text not null,
  sequence    integer not null,

  constraint effects_pkey primary key (id),
  constraint effects_sequence_positive check (sequence > 0)
);

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

-- Events waiting for the bus.
create table outbox (
  id         bigserial not null,
  event_id   text not null,
  type       text not null,
  topic      text not null,
  key        text not null,
  request_id text not null,
  payload    bytea not null,
  created_at timestamptz(3) not null default current_timestamp,

  constraint outbox_pkey primary key (id)
);

-- Events already handled, by consumer, with a partition for each day.
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
