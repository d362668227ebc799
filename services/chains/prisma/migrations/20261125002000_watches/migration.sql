-- Every open payment is watched, whether or not a hash is submitted for it.
create table watches (
  payment_id        text not null,
  project_id        text not null,
  mode              smallint not null,
  request_id        text not null,
  chain_id          bigint not null,
  recipient         text not null,
  currency          text not null,
  payer             text,
  payer_declared_at timestamptz(3),
  base_amount       numeric(78, 0) not null,
  opened_at         timestamptz(3) not null,
  expires_at        timestamptz(3) not null,
  state             text not null,
  version           integer not null,
  opened_xid       bigint not null,

  constraint watches_pkey primary key (payment_id),
  constraint watches_mode_known check (mode in (1, 2)),
  constraint watches_state_known check (state in ('open', 'closed')),
  constraint watches_amount_positive check (base_amount > 0),
  constraint watches_recipient_lower check (recipient ~ '^0x[0-9a-f]{40}$'),
  constraint watches_currency_known check (currency = 'native' or currency ~ '^0x[0-9a-f]{40}$'),
  constraint watches_payer_lower check (payer ~ '^0x[0-9a-f]{40}$')
);

-- A reader of new watches starts again at the oldest transaction that was open when it read last, so it misses none that
-- was committed out of order.
create index watches_chain_id_opened_xid_idx on watches (chain_id, opened_xid);
create index watches_expires_at_idx on watches (expires_at);

-- A transfer is matched by its recipient: by amount, by payer, or as the only open payment.
create index watches_amounts on watches
  (chain_id, recipient, currency, project_id, mode, base_amount, expires_at) where state = 'open';
create index watches_expiries on watches
  (chain_id, recipient, currency, project_id, mode, expires_at) where state = 'open';
create index watches_payers on watches (chain_id, recipient, currency, payer)
  where state = 'open' and payer is not null;

-- How far a chain is followed. Each step compares and sets the block it continues from and the epoch, so that only one
-- of two processes that follow the same chain can write.
create table cursors (
  chain_id    bigint not null,
  epoch       integer not null,
  leader      text,
  leased_until timestamptz(3) not null,
  head_number bigint,
  head_hash   text,
  watched_xid bigint not null default 0,

  constraint cursors_pkey primary key (chain_id),
  constraint cursors_head_whole check ((head_number is null) = (head_hash is null))
);

-- The blocks at which steps ended and in which transfers were found: where a fork is looked for.
create table blocks (
  chain_id bigint not null,
  number   bigint not null,
  hash     text not null,
  mined_at timestamptz(3) not null,

  constraint blocks_pkey primary key (chain_id, number)
);

-- Transfers are stored when they are seen. What the version before this one stores is settled.
alter table transfers
  add column status text not null default 'final',
  add constraint transfers_status_known check (status in ('seen', 'final', 'orphaned')) not valid;
alter table transfers validate constraint transfers_status_known;

alter table candidates add column found boolean not null default false;
