create table owners (
  id         text not null,
  email      text not null,
  created_at timestamptz(3) not null default current_timestamp,

  constraint owners_pkey primary key (id)
);
create unique index owners_email_key on owners (email);
create index owners_created_at_id_idx on owners (created_at, id);

create table notes (
  id         bigserial not null,
  owner_id   text not null,
  amount     numeric(78, 0) not null,
  body       text not null,
  created_at timestamptz(3) not null default current_timestamp,

  constraint notes_pkey primary key (id),
  constraint notes_owner_id_fkey foreign key (owner_id) references owners (id) on delete restrict on update cascade,
  constraint notes_amount_positive check (amount > 0)
);
-- Few rows are empty; Prisma's schema has no word for a partial index.
create index notes_empty on notes (owner_id) where body = '';

-- A function's body holds semicolons; they must not end the statement.
create function notes_body_trimmed() returns trigger language plpgsql as $$
begin
  new.body := trim(new.body);
  return new;
end $$;
create trigger notes_body_trimmed before insert on notes for each row execute function notes_body_trimmed();

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
