create table endpoints (
  id              text not null,
  project_id      text not null,
  name            text,
  url             text,
  events          text[] default array[]::text[],
  enabled         boolean not null default true,
  scheme          text not null default 'v1',
  concurrency_max smallint not null default 8,
  project_version integer not null default 0,
  created_at      timestamptz(3) not null default current_timestamp,
  updated_at      timestamptz(3) not null default current_timestamp,

  constraint endpoints_pkey primary key (id),
  constraint endpoints_scheme_known check (scheme in ('v1', 'sha256')),
  constraint endpoints_url_bounded check (octet_length(url) <= 2048),
  constraint endpoints_concurrency_bounded check (concurrency_max between 1 and 32)
);
-- One default endpoint per project; endpoints without a name do not meet here.
create unique index endpoints_project_id_name_key on endpoints (project_id, name);

create table secrets (
  endpoint_id text not null,
  seq         smallint not null,
  sealed      bytea not null,
  shown_at    timestamptz(3),
  created_at  timestamptz(3) not null default current_timestamp,

  constraint secrets_pkey primary key (endpoint_id, seq),
  constraint secrets_endpoint_id_fkey foreign key (endpoint_id) references endpoints (id)
    on delete cascade on update cascade
);

create table events (
  id          text not null,
  project_id  text not null,
  mode        smallint not null,
  type        text not null,
  resource_id text not null,
  sequence    integer not null,
  body        bytea not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null default current_timestamp,

  constraint events_pkey primary key (id),
  constraint events_mode_known check (mode in (1, 2)),
  constraint events_body_bounded check (octet_length(body) <= 65536)
);
create index events_project_id_received_at_idx on events (project_id, received_at desc);
create index events_resource_id_idx on events (resource_id);
-- Rows come in the order of their time, and only retention asks by it.
create index events_received_at_idx on events using brin (received_at);

create table deliveries (
  id              uuid not null default gen_random_uuid(),
  event_id        text not null,
  endpoint_id     text not null,
  generation      smallint not null default 0,
  state           text not null default 'live',
  attempts        smallint not null default 0,
  next_attempt_at timestamptz(6) not null,
  owner           integer,
  created_at      timestamptz(3) not null default current_timestamp,
  finished_at     timestamptz(3),

  constraint deliveries_pkey primary key (id),
  constraint deliveries_state_known check (state in ('live', 'delivered', 'failed')),
  constraint deliveries_attempts_bounded check (attempts between 0 and 4),
  -- What has ended has an end and belongs to nobody; nothing lives on after its last attempt.
  constraint deliveries_end_complete check ((state = 'live') = (finished_at is null)),
  constraint deliveries_end_free check (state = 'live' or owner is null),
  constraint deliveries_live_has_attempts check (state <> 'live' or attempts < 4)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);
-- At most one delivery per event and endpoint, however often the event comes.
create unique index deliveries_event_id_endpoint_id_generation_key
  on deliveries (event_id, endpoint_id, generation);

-- Both hold live rows only, so they stay as small as what is under way; Prisma's schema has no word for them.
create index deliveries_backlog on deliveries (endpoint_id, next_attempt_at)
  where state = 'live' and owner is null;
create index deliveries_owned on deliveries (owner) where state = 'live' and owner is not null;

create table attempts (
  delivery_id       uuid not null,
  number            smallint not null,
  started_at        timestamptz(3) not null,
  duration_ms       integer not null,
  status_code       smallint,
  error             text,
  remote_address    text,
  retry_after       text,
  response          bytea not null,
  response_complete boolean not null,

  constraint attempts_pkey primary key (delivery_id, number),
  constraint attempts_number_bounded check (number between 1 and 4),
  constraint attempts_response_bounded check (octet_length(response) <= 4096)
);

create table workers (
  id           serial not null,
  host         text not null,
  heartbeat_at timestamptz(3) not null default current_timestamp,

  constraint workers_pkey primary key (id)
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
