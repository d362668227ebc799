create table customers (
  id             text not null,
  project_id     text not null,
  mode           smallint not null,
  wallet_address text not null,
  email          text,
  display_name   text,
  metadata_json  text,
  created_at     timestamptz(3) not null,
  updated_at     timestamptz(3) not null,
  deleted_at     timestamptz(3),
  version        integer not null default 1,

  constraint customers_pkey primary key (id),
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
create index customers_newest on customers (project_id, mode, created_at desc, id desc)
  where deleted_at is null;
create index customers_wallet on customers (project_id, mode, wallet_address, created_at, id)
  where deleted_at is null;

create table idempotency (
  scope       text not null,
  key         text not null,
  fingerprint bytea not null,
  response    bytea not null,
  created_at  timestamptz(3) not null default current_timestamp,

  constraint idempotency_pkey primary key (scope, key)
);
create index idempotency_created_at_idx on idempotency (created_at);

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

create table inbox (
  consumer    text not null,
  event_id    text not null,
  received_at timestamptz(3) not null default current_timestamp,

  constraint inbox_pkey primary key (consumer, event_id)
);
create index inbox_received_at_idx on inbox (received_at);

create table dead_letters (
  id         bigserial not null,
  consumer   text not null,
  topic      text not null,
  event_id   text,
  payload    bytea not null,
  error      text not null,
  created_at timestamptz(3) not null default current_timestamp,

  constraint dead_letters_pkey primary key (id)
);
