create table projects (
  id                       text not null,
  name                     text not null,
  callback_url             text,
  allowed_origins          text[],
  branding_config          jsonb,
  payment_lifetime_minutes integer not null default 30,
  variant                  text,
  api_version              date not null,
  version                  integer not null default 1,
  created_at               timestamptz(3) not null default current_timestamp,
  updated_at               timestamptz(3) not null default current_timestamp,

  constraint projects_pkey primary key (id),
  constraint projects_name_length check (char_length(name) between 1 and 100),
  constraint projects_callback_url_length check (char_length(callback_url) <= 2048),
  constraint projects_allowed_origins_count check (cardinality(allowed_origins) <= 50),
  constraint projects_payment_lifetime check (payment_lifetime_minutes between 5 and 1440),
  constraint projects_variant check (variant in ('primary', 'b'))
);

create table api_keys (
  id           text not null,
  project_id   text not null,
  type         text not null,
  mode         text not null,
  scopes       text[],
  name         text,
  digest       bytea not null,
  prefix       text not null,
  last4        text not null,
  created_at   timestamptz(3) not null default current_timestamp,
  expires_at   timestamptz(3),
  revoked_at   timestamptz(3),
  successor_id text,

  constraint api_keys_pkey primary key (id),
  constraint api_keys_project_id_fkey foreign key (project_id) references projects (id)
    on delete cascade on update no action,
  constraint api_keys_type check (type in ('secret', 'publishable')),
  constraint api_keys_mode check (mode in ('live', 'test')),
  constraint api_keys_digest_length check (octet_length(digest) = 32),
  -- Scopes restrict secret keys only: a publishable key can do nothing worth restricting.
  constraint api_keys_scopes_of_secret_keys check (type = 'secret' or cardinality(scopes) = 0),
  -- A key that was rolled has an end.
  constraint api_keys_successor_has_end check (successor_id is null or expires_at is not null)
);
create unique index api_keys_digest_key on api_keys (digest);
create index api_keys_project_id_created_at_id_idx on api_keys (project_id, created_at desc, id desc);

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
