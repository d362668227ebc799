-- What a wallet of a project has received and what refunds and settlements take from it. The row is the lock of both.
create table wallet_balances (
  project_id       text not null,
  mode             smallint not null,
  chain_id         bigint not null,
  currency         text not null,
  source_address   text not null,
  decimals         smallint not null,
  credited         numeric(78, 0) not null,
  reserved_refunds numeric(78, 0) not null,
  settled          numeric(78, 0) not null,

  constraint wallet_balances_pkey primary key (project_id, mode, chain_id, currency, source_address),
  constraint wallet_balances_mode_known check (mode in (1, 2)),
  constraint wallet_balances_address_form check (source_address ~ '^0x[0-9a-f]{40}$'),
  constraint wallet_balances_currency_lower check (currency = lower(currency)),
  constraint wallet_balances_sums_positive check (credited >= 0 and reserved_refunds >= 0 and settled >= 0)
) with (fillfactor = 50);

-- What each payment has credited to its wallet, so that a later event of the payment changes the sum by the difference.
create table wallet_credits (
  payment_id  text not null,
  base_amount numeric(78, 0) not null,
  version     integer not null,

  constraint wallet_credits_pkey primary key (payment_id),
  constraint wallet_credits_amount_positive check (base_amount >= 0)
);

create table settlement_destinations (
  id         text not null,
  project_id text not null,
  mode       smallint not null,
  chain_id   bigint not null,
  address    text not null,
  label      text,
  created_by text not null,
  created_at timestamptz(3) not null,
  usable_at  timestamptz(3) not null,

  constraint settlement_destinations_pkey primary key (id),
  constraint settlement_destinations_mode_known check (mode in (1, 2)),
  constraint settlement_destinations_address_form check (address ~ '^0x[0-9a-fA-F]{40}$'),
  constraint settlement_destinations_label_bounded check (char_length(label) <= 100)
);
create index settlement_destinations_project_id_mode_created_at_id_idx
  on settlement_destinations (project_id, mode, created_at desc, id desc);
-- One spelling per address; Prisma's schema cannot express such an index.
create unique index settlement_destinations_once
  on settlement_destinations (project_id, mode, chain_id, lower(address));

create table settlements (
  id                  text not null,
  project_id          text not null,
  mode                smallint not null,
  status              text not null,
  chain_id            bigint not null,
  currency            text not null,
  amount              text not null,
  base_amount         numeric(78, 0) not null,
  decimals            smallint not null,
  source_address      text not null,
  destination_address text not null,
  tx_hash             text,
  other_hashes        jsonb,
  block_number        bigint,
  failure_reason      text,
  held_reason         text,
  requested_by        text not null,
  approved_by         text,
  metadata_json       text,
  created_at          timestamptz(3) not null,
  approved_at         timestamptz(3),
  completed_at        timestamptz(3),
  version             integer not null default 1,

  constraint settlements_pkey primary key (id),
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
  -- Whatever the code decides, the one who requested a settlement never approves it.
  constraint settlements_approver_other check (approved_by <> requested_by),
  constraint settlements_approved_has_approver check ((approved_by is null) = (approved_at is null)),
  constraint settlements_approved_before_paid check (approved_at is not null
    or (status in ('requested', 'failed') and tx_hash is null)),
  constraint settlements_completed_has_proof check ((status = 'completed') = (completed_at is not null)
    and (completed_at is null or (tx_hash is not null and block_number is not null))),
  constraint settlements_failed_has_reason check ((status = 'failed') = (failure_reason is not null))
);
create index settlements_project_id_mode_created_at_id_idx
  on settlements (project_id, mode, created_at desc, id desc);
-- Those that wait for their transaction, oldest first; Prisma's schema cannot express such an index.
create index settlements_waiting on settlements (approved_at) where status = 'approved' and tx_hash is null;

-- Refunds from before have the default and are in no sum of a wallet, as the payments from before are in no credit.
alter table refunds add column wallet_counted boolean not null default false;

-- The sums of a wallet follow its refunds and settlements, whatever code writes them.
create function wallet_refund_added() returns trigger language plpgsql as $$
begin
  insert into wallet_balances as wallet
    (project_id, mode, chain_id, currency, source_address, decimals, credited, reserved_refunds, settled)
  values (new.project_id, new.mode, new.chain_id, lower(new.currency), lower(new.source_address), new.decimals, 0, new.base_amount, 0)
  on conflict (project_id, mode, chain_id, currency, source_address)
  do update set reserved_refunds = wallet.reserved_refunds + excluded.reserved_refunds;
  return null;
end $$;

create function wallet_refund_released() returns trigger language plpgsql as $$
begin
  update wallet_balances set reserved_refunds = reserved_refunds - new.base_amount
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address);
  return null;
end $$;

-- The last word on money: a settlement takes nothing that refunds hold, and nothing that did not arrive.
create function wallet_settlement_added() returns trigger language plpgsql as $$
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

create function wallet_settlement_released() returns trigger language plpgsql as $$
begin
  update wallet_balances set settled = settled - new.base_amount
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address);
  return null;
end $$;

-- Between request and approval refunds may have taken what the settlement counted on.
create function wallet_settlement_approved() returns trigger language plpgsql as $$
begin
  perform from wallet_balances
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address)
  for update;
  perform from wallet_balances
  where project_id = new.project_id and mode = new.mode and chain_id = new.chain_id
    and currency = lower(new.currency) and source_address = lower(new.source_address)
    and credited - reserved_refunds - settled >= 0;
  if not found then
    raise exception 'the wallet does not cover the settlement'
      using errcode = 'check_violation', constraint = 'settlements_covered', table = 'settlements';
  end if;
  return null;
end $$;

create trigger refunds_wallet_added after insert on refunds
  for each row when (new.wallet_counted and new.status <> 'failed') execute function wallet_refund_added();
create trigger refunds_wallet_released after update of status on refunds
  for each row when (old.wallet_counted and old.status <> 'failed' and new.status = 'failed')
  execute function wallet_refund_released();
create trigger settlements_wallet_added after insert on settlements
  for each row execute function wallet_settlement_added();
create trigger settlements_wallet_released after update of status on settlements
  for each row when (old.status <> 'failed' and new.status = 'failed') execute function wallet_settlement_released();
create trigger settlements_wallet_approved after update of status on settlements
  for each row when (old.status = 'requested' and new.status = 'approved') execute function wallet_settlement_approved();
