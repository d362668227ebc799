create table refund_balances (
  payment_id text not null,
  project_id text not null,
  mode       smallint not null,
  amount     numeric(78, 0) not null,
  cap        numeric(78, 0) not null,
  reserved   numeric(78, 0) not null,
  completed  numeric(78, 0) not null,
  refunds    smallint not null,
  declared   boolean not null,

  constraint refund_balances_pkey primary key (payment_id),
  constraint refund_balances_mode_known check (mode in (1, 2)),
  constraint refund_balances_amount_positive check (amount > 0),
  constraint refund_balances_cap_covers_amount check (cap >= amount),
  -- The last word on money: whatever the code decides, no payment gives back more than it took.
  constraint refund_balances_reserved_bounded check (reserved between 0 and cap),
  constraint refund_balances_completed_bounded check (completed between 0 and reserved),
  constraint refund_balances_refunds_bounded check (refunds between 0 and 50)
);

create table refunds (
  id                   text not null,
  project_id           text not null,
  mode                 smallint not null,
  payment_id           text not null,
  status               text not null,
  amount               text not null,
  base_amount          numeric(78, 0) not null,
  decimals             smallint not null,
  currency             text not null,
  chain_id             bigint not null,
  order_id             text,
  payment_base_amount  numeric(78, 0) not null,
  source_address       text not null,
  destination_address  text not null,
  reason               text,
  failure_reason       text,
  tx_hash              text,
  block_number         bigint,
  refunded_base_amount numeric(78, 0) not null,
  created_at           timestamptz(3) not null,
  completed_at         timestamptz(3),
  version              integer not null default 1,

  constraint refunds_pkey primary key (id),
  constraint refunds_payment_id_fkey foreign key (payment_id) references refund_balances (payment_id)
    on delete restrict on update restrict,
  constraint refunds_mode_known check (mode in (1, 2)),
  constraint refunds_status_known check (status in ('created', 'completed', 'failed')),
  constraint refunds_amount_positive check (base_amount > 0),
  constraint refunds_destination_address check (destination_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint refunds_reason_bounded check (char_length(reason) <= 500),
  constraint refunds_tx_hash_form check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint refunds_completed_has_proof check ((status = 'completed') = (completed_at is not null)
    and (completed_at is null or (tx_hash is not null and block_number is not null))),
  constraint refunds_failed_has_reason check ((status = 'failed') = (failure_reason is not null))
);

create index refunds_project_id_mode_created_at_id_idx
  on refunds (project_id, mode, created_at desc, id desc);
create index refunds_payment_id_created_at_id_idx
  on refunds (payment_id, created_at desc, id desc);

-- Those that wait for their transaction, oldest first; Prisma's schema has no word for such an index.
create index refunds_waiting on refunds (created_at) where status = 'created' and tx_hash is null;

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
