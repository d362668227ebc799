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
