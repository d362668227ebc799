create table payments (
  id                   text not null,
  project_id           text not null,
  mode                 smallint not null,
  variant              smallint not null,
  status               text not null,
  amount               text not null,
  base_amount          numeric(78, 0) not null,
  decimals             smallint not null,
  currency             text not null,
  chain_id             bigint not null,
  recipient_address    text not null,
  description          text,
  metadata_json        text,
  qr_mode              boolean not null,
  order_id             text,
  customer_id          text,
  secret_version       smallint not null,
  expires_at           timestamptz(3) not null,
  created_at           timestamptz(3) not null,
  confirmed_at         timestamptz(3),
  refunded_at          timestamptz(3),
  refund_declared      boolean not null default false,
  tx_hash              text,
  block_number         bigint,
  payer_address        text,
  sender_address       text,
  received_base_amount numeric(78, 0),
  failure_code         text,
  attempts             smallint not null default 0,
  version              integer not null default 1,

  constraint payments_pkey primary key (id),
  constraint payments_mode_known check (mode in (1, 2)),
  constraint payments_variant_known check (variant in (1, 2)),
  constraint payments_status_known check (status in
    ('created', 'pending', 'processing', 'confirmed', 'failed', 'expired', 'refunded')),
  constraint payments_amount_positive check (base_amount > 0),
  constraint payments_attempts_bounded check (attempts between 0 and 5),
  constraint payments_proven_has_proof check (status not in ('confirmed', 'refunded')
    or (confirmed_at is not null and tx_hash is not null and block_number is not null))
);

create index payments_project_id_mode_created_at_id_idx
  on payments (project_id, mode, created_at desc, id desc);
create index payments_project_id_mode_status_created_at_id_idx
  on payments (project_id, mode, status, created_at desc, id desc);

-- Small indexes over the few rows that are looked for by something else; Prisma's schema has no word for them.
create index payments_order on payments (project_id, mode, order_id, created_at desc)
  where order_id is not null;
create index payments_customer on payments (project_id, mode, customer_id, created_at desc)
  where customer_id is not null;
create index payments_sender on payments (project_id, mode, sender_address, created_at desc)
  where sender_address is not null;
create index payments_transaction on payments (chain_id, tx_hash) where tx_hash is not null;
create index payments_open on payments (expires_at) where status in ('created', 'pending');
create index payments_unproven on payments (expires_at) where status = 'processing';

create table payment_totals (
  project_id text not null,
  mode       smallint not null,
  variant    smallint not null,
  status     text not null,
  shard      smallint not null,
  payments   bigint not null,

  constraint payment_totals_pkey primary key (project_id, mode, variant, status, shard)
) with (fillfactor = 50);

-- The totals change in the very transaction that changes the payments, so they are exact. Each connection adds to
-- a shard of its own; rows are taken in one order, so two statements cannot wait for each other in a circle.
create function payment_totals_add() returns trigger language plpgsql as $$
begin
  insert into payment_totals as t (project_id, mode, variant, status, shard, payments)
  select project_id, mode, variant, status, pg_backend_pid() % 32, count(*)
  from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (project_id, mode, variant, status, shard)
  do update set payments = t.payments + excluded.payments;
  return null;
end $$;

create function payment_totals_move() returns trigger language plpgsql as $$
begin
  insert into payment_totals as t (project_id, mode, variant, status, shard, payments)
  select project_id, mode, variant, status, pg_backend_pid() % 32, sum(n)
  from (
    select project_id, mode, variant, status, 1 as n from added
    union all
    select project_id, mode, variant, status, -1 from removed
  ) moves
  group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
  on conflict (project_id, mode, variant, status, shard)
  do update set payments = t.payments + excluded.payments;
  return null;
end $$;

create trigger payments_added after insert on payments
  referencing new table as added for each statement execute function payment_totals_add();
create trigger payments_moved after update on payments
  referencing new table as added old table as removed
  for each statement execute function payment_totals_move();

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
