create table chains (
  chain_id           bigint not null,
  name               text not null,
  symbol             text not null,
  rpc_url            text not null,
  block_explorer_url text,
  is_testnet         boolean not null,
  native_decimals    smallint not null,
  enabled            boolean not null,
  proven_at          timestamptz(3),

  constraint chains_pkey primary key (chain_id),
  constraint chains_id_positive check (chain_id > 0),
  constraint chains_decimals_known check (native_decimals between 0 and 36)
);

create table tokens (
  chain_id   bigint not null,
  address    text not null,
  symbol     text not null,
  name       text not null,
  decimals   smallint not null,
  enabled    boolean not null,
  checked_at timestamptz(3),

  constraint tokens_pkey primary key (chain_id, address),
  constraint tokens_chain_id_fkey foreign key (chain_id) references chains (chain_id)
    on delete restrict on update restrict,
  constraint tokens_address_lower check (address ~ '^0x[0-9a-f]{40}$'),
  constraint tokens_decimals_known check (decimals between 0 and 36)
);

create table candidates (
  id          bigserial not null,
  subject_id  text not null,
  project_id  text not null,
  mode        smallint not null,
  request_id  text not null,
  chain_id    bigint not null,
  tx_hash     text not null,
  recipient   text not null,
  currency    text not null,
  payer       text,
  base_amount numeric(78, 0) not null,
  exact       boolean not null,
  not_before  timestamptz(3) not null,
  not_after   timestamptz(3),
  give_up_at  timestamptz(3) not null,
  attempt     integer not null,
  state       text not null default 'waiting',
  reason      text,
  next_at     timestamptz(3) not null,
  misses      integer not null default 0,
  sender      text,
  nonce       bigint,
  seen_block  bigint,
  created_at  timestamptz(3) not null,
  judged_at   timestamptz(3),

  constraint candidates_pkey primary key (id),
  constraint candidates_mode_known check (mode in (1, 2)),
  constraint candidates_state_known check (state in ('waiting', 'confirmed', 'rejected', 'abandoned')),
  constraint candidates_rejected_has_reason check ((state = 'rejected') = (reason is not null)),
  constraint candidates_judged_has_time check ((state in ('confirmed', 'rejected')) = (judged_at is not null)),
  constraint candidates_amount_positive check (base_amount > 0),
  constraint candidates_hash_lower check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint candidates_recipient_lower check (recipient ~ '^0x[0-9a-f]{40}$'),
  constraint candidates_currency_known check (currency = 'native' or currency ~ '^0x[0-9a-f]{40}$'),
  constraint candidates_payer_lower check (payer ~ '^0x[0-9a-f]{40}$')
);

create unique index candidates_subject_id_tx_hash_key on candidates (subject_id, tx_hash);
create index candidates_chain_id_tx_hash_idx on candidates (chain_id, tx_hash);

-- What Prisma's schema has no word for: one hash proves a payment, and small indexes over the few rows that wait.
create unique index candidates_confirmed on candidates (subject_id) where state = 'confirmed';
create index candidates_due on candidates (chain_id, next_at) where state = 'waiting';
create index candidates_bound on candidates (chain_id, recipient, currency, payer)
  where state = 'waiting' and payer is not null;

create table transfers (
  id           bigserial not null,
  chain_id     bigint not null,
  tx_hash      text not null,
  kind         text not null,
  ordinal      integer not null,
  block_number bigint not null,
  block_hash   text not null,
  block_time   timestamptz(3) not null,
  currency     text not null,
  sender       text not null,
  recipient    text not null,
  value        numeric(78, 0) not null,

  constraint transfers_pkey primary key (id),
  constraint transfers_kind_known check (kind in ('log', 'native', 'trace')),
  constraint transfers_value_positive check (value > 0)
);

create unique index transfers_chain_id_tx_hash_kind_ordinal_key
  on transfers (chain_id, tx_hash, kind, ordinal);

create table allocations (
  transfer_id  bigint not null,
  candidate_id bigint not null,
  subject_id   text not null,
  created_at   timestamptz(3) not null default current_timestamp,

  constraint allocations_pkey primary key (transfer_id),
  constraint allocations_transfer_id_fkey foreign key (transfer_id) references transfers (id)
    on delete restrict on update restrict,
  constraint allocations_candidate_id_fkey foreign key (candidate_id) references candidates (id)
    on delete restrict on update restrict
);

create index allocations_candidate_id_idx on allocations (candidate_id);

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
