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

-- Few rows are empty; Prisma's schema has no word for a partial index.
create index notes_empty on notes (owner_id) where body = '';
