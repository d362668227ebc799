create table effects (
  id          bigserial not null,
  event_id    text not null,
  project_id  text not null,
  resource_id text not null,
  sequence    integer not null,

  constraint effects_pkey primary key (id),
  constraint effects_sequence_positive check (sequence > 0)
);

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
