-- The books: what the chain itself shows of the wallets of merchants, beside what is recorded.
set local lock_timeout = '5s';

-- A wallet in one currency. Movements are known after opened_block, up to checked_block; -1: not opened yet.
create table book_accounts (
  id            bigserial not null,
  chain_id      bigint not null,
  wallet        text not null,
  currency      text not null,
  opened_block  bigint not null default -1,
  checked_block bigint not null default -1,
  -- The balance that follows from the last one that was read and the movements since; null while none was to be had.
  expected      numeric(78, 0),
  balance       numeric(78, 0),
  balance_block bigint,
  nonce         bigint,
  -- Who checks it at present: a process that was too slow writes nothing, because the number is another one by then.
  lease         bigint not null default 0,
  leased_until  timestamptz(3) not null default '2000-01-01T00:00:00Z',

  constraint book_accounts_pkey primary key (id),
  constraint book_accounts_once unique (chain_id, wallet, currency),
  constraint book_accounts_wallet_form check (wallet ~ '^0x[0-9a-f]{40}$'),
  constraint book_accounts_currency_lower check (currency = lower(currency)),
  constraint book_accounts_opened check (checked_block >= opened_block and (opened_block <> -1 or checked_block = -1))
);
create index book_accounts_due on book_accounts (chain_id, checked_block);

-- What the chain shows, with the same names for a transfer as the table transfers has; gas, and unseen for native coin that
-- no transaction of the wallet explains.
create table book_movements (
  account_id   bigint not null,
  tx_hash      text not null,
  kind         text not null,
  ordinal      integer not null,
  is_in        boolean not null,
  value        numeric(78, 0) not null,
  block_number bigint not null,
  block_time   timestamptz(3) not null,

  constraint book_movements_pkey primary key (account_id, tx_hash, kind, ordinal, is_in),
  constraint book_movements_account_id_fkey foreign key (account_id) references book_accounts (id)
    on delete restrict on update restrict,
  constraint book_movements_kind_known check (kind in ('log', 'native', 'trace', 'gas', 'unseen')),
  constraint book_movements_value_positive check (value > 0)
);
create index book_movements_account_id_block_time_idx on book_movements (account_id, block_time);

-- Where the chain and the records differ: both sides, in base units.
create table book_differences (
  id           bigserial not null,
  account_id   bigint not null,
  kind         text not null,
  -- What it is about, so that it is noted once.
  reference    text not null,
  project_id   text,
  mode         smallint,
  subject_id   text,
  tx_hash      text,
  block_number bigint not null,
  recorded     numeric(78, 0) not null,
  on_chain     numeric(78, 0) not null,
  noted_at     timestamptz(3) not null default now(),
  -- When an operator had settled it.
  closed_at    timestamptz(3),

  constraint book_differences_pkey primary key (id),
  constraint book_differences_once unique (account_id, kind, reference),
  constraint book_differences_account_id_fkey foreign key (account_id) references book_accounts (id)
    on delete restrict on update restrict,
  constraint book_differences_kind_known check (kind in ('transfer', 'balance')),
  constraint book_differences_differ check (recorded <> on_chain)
);

-- Up to when the allocations of a chain were compared with its books.
create table book_cursors (
  chain_id       bigint not null,
  compared_until timestamptz(3) not null,

  constraint book_cursors_pkey primary key (chain_id)
);
