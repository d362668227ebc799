-- How much of a payment can still be refunded. A transaction that reserves, completes or releases holds the row's lock.
create table refund_balances (
  payment_id        text not null,
  project_id        text not null,
  mode              smallint not null,
  -- The payment's amount.
  amount            numeric(78, 0) not null,
  -- What is proven of the payment at this version of it; a reorganisation lowers it.
  received          numeric(78, 0) not null,
  payment_version   integer not null,
  -- Sum of all refunds that have not failed, including completed ones.
  reserved          numeric(78, 0) not null,
  completed         numeric(78, 0) not null,
  -- The parts of both sums that give back a surplus.
  surplus_reserved  numeric(78, 0) not null,
  surplus_completed numeric(78, 0) not null,
  -- Number of refunds, including failed ones.
  refunds           smallint not null,
  -- When the merchant declared the whole payment refunded; the declaration has made its refund.
  declared_at       timestamptz(3),

  constraint refund_balances_pkey primary key (project_id, payment_id),
  constraint refund_balances_mode_known check (mode in (1, 2)),
  constraint refund_balances_amount_positive check (amount > 0),
  constraint refund_balances_received_positive check (received >= 0),
  constraint refund_balances_reserved_positive check (reserved >= 0),
  constraint refund_balances_completed_bounded check (completed between 0 and reserved),
  constraint refund_balances_surplus_bounded check (surplus_reserved between 0 and reserved
    and surplus_completed between 0 and least(surplus_reserved, completed)),
  constraint refund_balances_refunds_bounded check (refunds between 0 and 50)
);
-- For the gauge of payments whose refunds are more than what is proven of them.
create index refund_balances_uncovered on refund_balances (payment_id) where reserved > received;

create table refunds (
  id                           text not null,
  project_id                   text not null,
  -- 1 live, 2 test.
  mode                         smallint not null,
  payment_id                   text not null,
  status                       text not null,
  -- As the merchant wrote it, or the rest of the payment.
  amount                       text not null,
  base_amount                  numeric(78, 0) not null,
  -- From here to the addresses copied from the payment.
  decimals                     smallint not null,
  currency                     text not null,
  chain_id                     bigint not null,
  order_id                     text,
  payment_base_amount          numeric(78, 0) not null,
  -- The paying wallet: the recipient of the payment.
  source_address               text not null,
  -- Empty while the refund needs one.
  destination_address          text not null,
  -- Why it may go there.
  destination_source           text,
  -- The id of the key or of the member that requested it.
  requested_by                 text,
  -- destination: the merchant has to set it.
  needs                        text,
  -- Customers who sign in list their refunds by these. Addresses in lower case.
  payer_address                text,
  sender_address               text,
  customer_id                  text,
  reason                       text,
  failure_reason               text,
  -- Why a transaction that moved the money does not count; the refund waits for another.
  held_reason                  text,
  tx_hash                      text,
  -- Further submitted hashes, each with its verdict; null for none.
  other_hashes                 jsonb,
  block_number                 bigint,
  -- Whether it gives back a surplus, and whether the merchant declared it (Variant B).
  surplus                      boolean not null,
  declared                     boolean not null,
  -- Sums of the payment's refunds at the last change of this refund, itself included: completed, of those the surplus,
  -- and not failed.
  refunded_base_amount         numeric(78, 0) not null,
  surplus_refunded_base_amount numeric(78, 0) not null,
  reserved_base_amount         numeric(78, 0) not null,
  -- The earliest time of a transfer that can pay this refund.
  payment_confirmed_at         timestamptz(3),
  created_at                   timestamptz(3) not null,
  completed_at                 timestamptz(3),
  -- Further wallets whose transfers count, as submitted with the hashes; lower case.
  payout_wallets               text[] not null default '{}',
  -- The wallet whose transfer completed the refund.
  paid_from                    text,
  -- Whether the service signs and sends the transaction. Decided once, so that nobody else ever pays the same refund.
  service_signed               boolean not null default false,
  version                      integer not null default 1,

  constraint refunds_pkey primary key (project_id, id),
  constraint refunds_project_id_payment_id_fkey foreign key (project_id, payment_id)
    references refund_balances (project_id, payment_id) on delete restrict on update restrict,
  constraint refunds_mode_known check (mode in (1, 2)),
  constraint refunds_status_known check (status in ('created', 'completed', 'failed')),
  constraint refunds_amount_positive check (base_amount > 0),
  constraint refunds_destination_address check (destination_address ~ '^0x[0-9a-fA-F]{40}$'
    or (destination_address = '' and needs is not null and tx_hash is null and status <> 'completed')),
  constraint refunds_destination_source_known check (destination_source in ('payer', 'address_book', 'named')),
  constraint refunds_needs_known check (needs = 'destination'),
  constraint refunds_reason_bounded check (char_length(reason) <= 500),
  constraint refunds_tx_hash_form check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint refunds_hashes_bounded check (other_hashes is null
    or (jsonb_typeof(other_hashes) = 'array' and jsonb_array_length(other_hashes) between 1 and 5)),
  constraint refunds_held_reason_known check (held_reason in ('predates_payment', 'transfer_already_used')),
  constraint refunds_completed_has_proof check ((status = 'completed') = (completed_at is not null)
    and (completed_at is null or (tx_hash is not null and block_number is not null))),
  constraint refunds_failed_has_reason check ((status = 'failed') = (failure_reason is not null))
);
create index refunds_project_id_mode_created_at_id_idx on refunds (project_id, mode, created_at desc, id desc);
create index refunds_payment_id_created_at_id_idx on refunds (payment_id, created_at desc, id desc);
-- Nearly all refunds are completed, so a list of the others is not searched for among those.
create index refunds_uncompleted on refunds (project_id, mode, created_at, id) where status <> 'completed';
create index refunds_payer on refunds (project_id, mode, payer_address, created_at desc)
  where payer_address is not null;
create index refunds_sender on refunds (project_id, mode, sender_address, created_at desc)
  where sender_address is not null;
create index refunds_customer on refunds (project_id, mode, customer_id, created_at desc)
  where customer_id is not null;
create index refunds_tx_hash on refunds (tx_hash) where tx_hash is not null;
-- For the job that times refunds out.
create index refunds_waiting on refunds (created_at) where status = 'created' and tx_hash is null;
-- For the gauge of refunds that a person should look at.
create index refunds_held on refunds (created_at) where status = 'created' and held_reason is not null;

-- Number of refunds of a project by status, so that a list need not count. A sum is spread over shards, because writers
-- of one row would wait for each other.
create table refund_totals (
  project_id text not null,
  mode       smallint not null,
  status     text not null,
  shard      smallint not null,
  refunds    bigint not null,

  constraint refund_totals_pkey primary key (project_id, mode, status, shard)
) with (fillfactor = 50);

-- The sums of a wallet in a currency. Triggers on refunds and settlements keep them; the row is the lock of both.
create table wallet_balances (
  project_id       text not null,
  mode             smallint not null,
  chain_id         bigint not null,
  currency         text not null,
  source_address   text not null,
  decimals         smallint not null,
  -- Sum of what is proven of the payments.
  credited         numeric(78, 0) not null,
  -- Sums of the refunds and settlements that have not failed, including completed ones.
  reserved_refunds numeric(78, 0) not null,
  settled          numeric(78, 0) not null,

  constraint wallet_balances_pkey primary key (project_id, mode, chain_id, currency, source_address),
  constraint wallet_balances_mode_known check (mode in (1, 2)),
  constraint wallet_balances_address_form check (source_address ~ '^0x[0-9a-f]{40}$'),
  constraint wallet_balances_currency_lower check (currency = lower(currency)),
  constraint wallet_balances_sums_positive check (credited >= 0 and reserved_refunds >= 0 and settled >= 0)
) with (fillfactor = 50);

-- The credit of each payment to its wallet: what is proven of it. A later event of the payment changes the sum of the wallet
-- by the difference.
create table wallet_credits (
  payment_id  text not null,
  base_amount numeric(78, 0) not null,
  -- Of the payment.
  version     integer not null,

  constraint wallet_credits_pkey primary key (payment_id),
  constraint wallet_credits_amount_positive check (base_amount >= 0)
);

-- The address book: settlements go to these addresses only.
create table settlement_destinations (
  id         text not null,
  project_id text not null,
  mode       smallint not null,
  chain_id   bigint not null,
  address    text not null,
  label      text,
  -- Id of the key or person that added it.
  created_by text not null,
  created_at timestamptz(3) not null,
  -- From then on settlements may go there.
  usable_at  timestamptz(3) not null,

  constraint settlement_destinations_pkey primary key (project_id, id),
  constraint settlement_destinations_mode_known check (mode in (1, 2)),
  constraint settlement_destinations_address_form check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint settlement_destinations_label_bounded check (char_length(label) <= 100)
);
create index settlement_destinations_project_id_mode_created_at_id_idx
  on settlement_destinations (project_id, mode, created_at desc, id desc);
create unique index settlement_destinations_once on settlement_destinations (project_id, mode, chain_id, lower(address));

-- Movements of collected funds to a treasury.
create table settlements (
  id                  text not null,
  project_id          text not null,
  mode                smallint not null,
  status              text not null,
  chain_id            bigint not null,
  currency            text not null,
  -- As the merchant wrote it, or all that the wallet could settle.
  amount              text not null,
  base_amount         numeric(78, 0) not null,
  decimals            smallint not null,
  source_address      text not null,
  destination_address text not null,
  tx_hash             text,
  -- Further submitted hashes, each with its verdict; null for none.
  other_hashes        jsonb,
  block_number        bigint,
  failure_reason      text,
  -- Why a transaction that moved the money does not count; the settlement waits for another.
  held_reason         text,
  -- Ids of keys or persons.
  requested_by        text not null,
  approved_by         text,
  metadata_json       text,
  created_at          timestamptz(3) not null,
  approved_at         timestamptz(3),
  completed_at        timestamptz(3),
  -- Whether the service signs and sends the transaction.
  service_signed      boolean not null default false,
  version             integer not null default 1,

  constraint settlements_pkey primary key (project_id, id),
  constraint settlements_mode_known check (mode in (1, 2)),
  constraint settlements_status_known check (status in ('requested', 'approved', 'completed', 'failed')),
  constraint settlements_amount_positive check (base_amount > 0),
  constraint settlements_source_address check (source_address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint settlements_destination_address check (destination_address ~ '^0x[0-9a-fA-F]{40}$'
    and lower(destination_address) <> lower(source_address)),
  constraint settlements_tx_hash_form check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint settlements_hashes_bounded check (other_hashes is null
    or (jsonb_typeof(other_hashes) = 'array' and jsonb_array_length(other_hashes) between 1 and 5)),
  constraint settlements_held_reason_known check (held_reason in ('predates_payment', 'transfer_already_used')),
  constraint settlements_metadata_bounded check (octet_length(metadata_json) <= 8192),
  -- Whatever the code decides, nobody approves a settlement of their own.
  constraint settlements_approver_other check (approved_by <> requested_by),
  constraint settlements_approved_has_approver check ((approved_by is null) = (approved_at is null)),
  constraint settlements_approved_before_paid check (approved_at is not null
    or (status in ('requested', 'failed') and tx_hash is null)),
  constraint settlements_completed_has_proof check ((status = 'completed') = (completed_at is not null)
    and (completed_at is null or (tx_hash is not null and block_number is not null))),
  constraint settlements_failed_has_reason check ((status = 'failed') = (failure_reason is not null))
);
create index settlements_project_id_mode_created_at_id_idx on settlements (project_id, mode, created_at desc, id desc);
-- Nearly all settlements have ended, so a list of those that wait for a person is not searched for among them.
create index settlements_open on settlements (project_id, mode, created_at desc, id desc)
  where status in ('requested', 'approved');
-- For the job that times settlements out.
create index settlements_waiting on settlements (approved_at) where status = 'approved' and tx_hash is null;
-- For the gauge of settlements that a person should look at.
create index settlements_held on settlements (created_at) where status = 'approved' and held_reason is not null;

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

-- Idempotency keys of a day (customers, gateway, payments, refunds). Each creation looks for its key in three live
-- partitions of twelve hours; shorter ones would mean more lookups.
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

-- Events already handled, by consumer, with a partition for each day (chains, payments, refunds, webhooks).
create table inbox_ids (
  consumer text not null,
  event_id text not null,
  -- Constant inside a partition, so that the primary key refuses a second row of an event there.
  day      timestamptz(0) not null
    default date_bin('24 hours', current_timestamp, '2000-01-01 00:00+00'::timestamptz),

  constraint inbox_ids_pkey primary key (consumer, event_id, day)
) partition by range (day);
insert into time_partitions (table_name, span_hours, ahead, kept, used_kept) values ('inbox_ids', 24, 3, 7, 7);

-- The last record of each partition of a topic that a consumer has handled.
create table inbox_positions (
  consumer      text not null,
  topic         text not null,
  partition     integer not null,
  record_offset bigint not null,

  constraint inbox_positions_pkey primary key (consumer, topic, partition)
) with (fillfactor = 50);

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

-- The totals change in the transaction that changes the refunds, so they are exact. A deletion subtracts. Rows are taken in
-- one order, so that two statements cannot wait for each other in a circle.
create function add_refund_totals() returns trigger language plpgsql as $$
begin
  insert into refund_totals as total (project_id, mode, status, shard, refunds)
  select project_id, mode, status, pg_backend_pid() % 32, case tg_op when 'DELETE' then -count(*) else count(*) end
  from changed group by 1, 2, 3 order by 1, 2, 3
  on conflict (project_id, mode, status, shard) do update set refunds = total.refunds + excluded.refunds;
  return null;
end $$;

create function move_refund_total() returns trigger language plpgsql as $$
begin
  insert into refund_totals as total (project_id, mode, status, shard, refunds)
  select new.project_id, new.mode, status, pg_backend_pid() % 32, n
  from (values (old.status, -1), (new.status, 1)) moved (status, n) order by status
  on conflict (project_id, mode, status, shard) do update set refunds = total.refunds + excluded.refunds;
  return null;
end $$;

create trigger refunds_total_added after insert on refunds
  referencing new table as changed for each statement execute function add_refund_totals();
create trigger refunds_total_removed after delete on refunds
  referencing old table as changed for each statement execute function add_refund_totals();
create trigger refunds_total_moved after update of status on refunds
  for each row when (old.status <> new.status) execute function move_refund_total();

-- The last word on money: whatever the code decides, no refund takes more than is proven of its payment. A reorganisation may
-- lower that below the refunds of before.
create function check_refund_balance() returns trigger language plpgsql as $$
begin
  raise exception 'the payment does not cover the refund'
    using errcode = 'check_violation', constraint = 'refund_balances_reserved_bounded', table = 'refund_balances';
end $$;

create trigger refund_balances_reserved_bounded before update of reserved on refund_balances
  for each row when (new.reserved > old.reserved and new.reserved > new.received) execute function check_refund_balance();

-- The sums of a wallet follow its refunds and settlements, whatever code writes them.
create function reserve_wallet_refund() returns trigger language plpgsql as $$
begin
  insert into wallet_balances as wallet
    (project_id, mode, chain_id, currency, source_address, decimals, credited, reserved_refunds, settled)
  values (new.project_id, new.mode, new.chain_id, lower(new.currency), lower(new.source_address), new.decimals,
    0, new.base_amount, 0)
  on conflict (project_id, mode, chain_id, currency, source_address)
  do update set reserved_refunds = wallet.reserved_refunds + excluded.reserved_refunds;
  return null;
end $$;

create function release_wallet_refund() returns trigger language plpgsql as $$
begin
  update wallet_balances set reserved_refunds = reserved_refunds - new.base_amount
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address);
  return null;
end $$;

-- The last word on money: a settlement takes nothing that refunds hold, and nothing that did not arrive.
create function take_wallet_settlement() returns trigger language plpgsql as $$
begin
  update wallet_balances set settled = settled + new.base_amount
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address)
    and credited - reserved_refunds - settled >= new.base_amount;
  if not found then
    raise exception 'the wallet does not cover the settlement'
      using errcode = 'check_violation', constraint = 'settlements_covered', table = 'settlements';
  end if;
  return null;
end $$;

create function release_wallet_settlement() returns trigger language plpgsql as $$
begin
  update wallet_balances set settled = settled - new.base_amount
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address);
  return null;
end $$;

-- Between request and approval refunds may have taken money that the settlement counted on, or a payment may have left the
-- chain.
create function check_wallet_settlement() returns trigger language plpgsql as $$
declare wallet wallet_balances;
begin
  select * into wallet from wallet_balances
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address)
  for update;
  if wallet.credited < wallet.settled then
    raise exception 'the wallet has not received the settlements'
      using errcode = 'check_violation', constraint = 'settlements_received', table = 'settlements';
  end if;
  if wallet.credited < wallet.reserved_refunds + wallet.settled then
    raise exception 'the wallet does not cover the settlement'
      using errcode = 'check_violation', constraint = 'settlements_covered', table = 'settlements';
  end if;
  return null;
end $$;

create trigger refunds_wallet_added after insert on refunds
  for each row when (new.status <> 'failed') execute function reserve_wallet_refund();
create trigger refunds_wallet_released after update of status on refunds
  for each row when (old.status <> 'failed' and new.status = 'failed') execute function release_wallet_refund();
-- The source wallet still has the money, so it can be settled.
create trigger refunds_wallet_paid_elsewhere after update of status on refunds
  for each row when (old.status = 'created' and new.status = 'completed' and new.paid_from <> lower(new.source_address))
  execute function release_wallet_refund();
create trigger refunds_wallet_reorged after update of status on refunds
  for each row when (old.status = 'completed' and new.status = 'created' and old.paid_from <> lower(new.source_address))
  execute function reserve_wallet_refund();
create trigger settlements_wallet_added after insert on settlements
  for each row execute function take_wallet_settlement();
create trigger settlements_wallet_released after update of status on settlements
  for each row when (old.status <> 'failed' and new.status = 'failed') execute function release_wallet_settlement();
create trigger settlements_wallet_approved after update of status on settlements
  for each row when (old.status = 'requested' and new.status = 'approved') execute function check_wallet_settlement();
