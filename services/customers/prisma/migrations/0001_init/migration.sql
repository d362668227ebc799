create table customers (
  id             text not null,
  project_id     text not null,
  -- 1 live, 2 test.
  mode           smallint not null,
  wallet_address text not null,
  email          text,
  display_name   text,
  metadata_json  text,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  deleted_at     timestamptz(3),
  version        integer not null default 1,

  -- The rows of a project lie together, and no id alone finds one.
  constraint customers_pkey primary key (project_id, id),
  constraint customers_mode_known check (mode in (1, 2)),
  constraint customers_email_bounded check (char_length(email) between 3 and 254),
  constraint customers_display_name_bounded check (char_length(display_name) between 1 and 100),
  constraint customers_metadata_object check (metadata_json is json object),
  -- A living record has its wallet; an erased one has nothing left of the person.
  constraint customers_erased_whole check (case when deleted_at is null
    then wallet_address ~ '^0x[0-9a-fA-F]{40}$'
    else wallet_address ~ '^sha256:[0-9a-f]{64}$'
      and email is null and display_name is null and metadata_json is null end)
);
-- Every read names the project, the mode and the living; Prisma's schema has no word for such indexes.
create index customers_newest on customers (project_id, mode, created_at desc, id desc) where deleted_at is null;
create index customers_wallet on customers (project_id, mode, wallet_address, created_at, id) where deleted_at is null;
-- By the order of characters, in which a range is a beginning of names.
create index customers_name on customers (project_id, mode, lower(display_name) collate "C")
  where deleted_at is null and display_name is not null;

-- How many living customers a project has, so that a list need not count them. The sums change in the transaction that
-- changes the customers. One sum is spread over shards, because writers of one row would wait for each other.
create table customer_totals (
  project_id text not null,
  mode       smallint not null,
  shard      smallint not null,
  customers  bigint not null,

  constraint customer_totals_pkey primary key (project_id, mode, shard)
) with (fillfactor = 50);

-- A deletion subtracts. Rows are taken in one order, so two statements cannot wait for each other in a circle.
create function customer_totals_add() returns trigger language plpgsql as $$
begin
  insert into customer_totals as total (project_id, mode, shard, customers)
  select project_id, mode, pg_backend_pid() % 32, case tg_op when 'DELETE' then -count(*) else count(*) end
  from added where deleted_at is null group by 1, 2 order by 1, 2
  on conflict (project_id, mode, shard) do update set customers = total.customers + excluded.customers;
  return null;
end $$;
create trigger customers_added after insert on customers
  referencing new table as added for each statement execute function customer_totals_add();
create trigger customers_removed after delete on customers
  referencing old table as added for each statement execute function customer_totals_add();

-- An erased customer keeps its row.
create function customer_totals_erase() returns trigger language plpgsql as $$
begin
  insert into customer_totals as total (project_id, mode, shard, customers)
  values (new.project_id, new.mode, pg_backend_pid() % 32, case when new.deleted_at is null then 1 else -1 end)
  on conflict (project_id, mode, shard) do update set customers = total.customers + excluded.customers;
  return null;
end $$;
create trigger customers_erased after update of deleted_at on customers
  for each row when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function customer_totals_erase();

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

-- Idempotency keys of a day. Each creation looks for its key in three live partitions of twelve hours; shorter ones
-- would mean more lookups.
create table idempotency_keys (
  scope       text not null,
  key         text not null,
  fingerprint bytea not null,
  response    bytea not null,
  created_at  timestamptz(3) not null default current_timestamp,
  -- Constant inside a partition, so that the primary key refuses a second row of a key there.
  period      timestamptz(0) not null
    default date_bin('12 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint idempotency_keys_pkey primary key (scope, key, period)
) partition by range (period);
insert into time_partitions (table_name, span_hours, ahead, kept) values ('idempotency_keys', 12, 4, 2);

-- An erasure finds the stored responses that show the customer: each begins with the customer's id.
create index idempotency_keys_answers on idempotency_keys (substr(response, 1, 32));

-- The keys that no row has. A volatile function reads with a snapshot of its own: a caller that holds the lock of a key
-- sees what the previous owner of the lock committed. The limit makes the planner use the index for each key.
create function unused_keys(scopes text[], keys text[])
returns table (scope text, key text) language plpgsql volatile strict rows 64 as $$
#variable_conflict use_column
begin
  return query
    select distinct requested.scope, requested.key from unnest(scopes, keys) as requested (scope, key)
    left join lateral (
      select true as stored from idempotency_keys stored
      where stored.scope = requested.scope and stored.key = requested.key and stored.period <= current_timestamp
      limit 1
    ) earlier on true
    where earlier.stored is null;
end
$$;

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
