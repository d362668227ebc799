-- Refunds and settlements that the service sends itself. An intent, its nonce and its signed bytes are stored in one transaction
-- before anything is sent, so whatever dies later, the same bytes are sent again and at most one of them is mined.
create table intents (
  subject_id     text not null,
  project_id     text not null,
  mode           smallint not null,
  request_id     text not null,
  payment_id     text,
  chain_id       bigint not null,
  source         text not null,
  destination    text not null,
  currency       text not null,
  decimals       smallint not null,
  base_amount    numeric(78, 0) not null,
  owed_since     timestamptz(3) not null,
  version        integer not null,
  state          text not null default 'waiting',
  held_reason    text,
  failure_reason text,
  nonce          bigint,
  gas_limit      bigint,
  signed_at      timestamptz(3),
  signed_block   bigint,
  mined_tx_hash  text,
  mined_block    bigint,
  next_at        timestamptz(3) not null,
  created_at     timestamptz(3) not null,
  ended_at       timestamptz(3),

  constraint intents_pkey primary key (subject_id),
  constraint intents_mode_known check (mode in (1, 2)),
  constraint intents_state_known check (state in ('waiting', 'signed', 'completed', 'failed')),
  constraint intents_amount_positive check (base_amount > 0),
  constraint intents_source_lower check (source ~ '^0x[0-9a-f]{40}$'),
  constraint intents_destination_lower check (destination ~ '^0x[0-9a-f]{40}$'),
  constraint intents_currency_known check (currency = 'native' or currency ~ '^0x[0-9a-f]{40}$'),
  constraint intents_signed_whole check
    ((nonce is null) = (signed_at is null) and (nonce is null) = (gas_limit is null) and (nonce is null) = (signed_block is null)),
  constraint intents_waiting_unsigned check (state <> 'waiting' or nonce is null),
  constraint intents_sent_signed check (state not in ('signed', 'completed') or nonce is not null),
  constraint intents_mined_signed check (mined_tx_hash is null or nonce is not null),
  constraint intents_ended check ((ended_at is null) = (state in ('waiting', 'signed')))
);
-- A nonce belongs to one intent for ever.
create unique index intents_nonces on intents (chain_id, source, nonce) where nonce is not null;
create index intents_due on intents (chain_id, source, state, next_at) where state in ('waiting', 'signed');
-- What a wallet has sent within a day, for its limit.
create index intents_signed on intents (chain_id, source, currency, signed_at) where signed_at is not null;

-- Each signed form of an intent's transaction: all have its nonce, so at most one of them is mined.
create table signed_transactions (
  subject_id   text not null,
  ordinal      smallint not null,
  chain_id     bigint not null,
  tx_hash      text not null,
  raw          bytea not null,
  max_fee      numeric(78, 0) not null,
  priority_fee numeric(78, 0) not null,
  signed_at    timestamptz(3) not null,
  sent_at      timestamptz(3),

  constraint signed_transactions_pkey primary key (subject_id, ordinal),
  constraint signed_transactions_intent foreign key (subject_id) references intents (subject_id)
    on delete restrict on update restrict,
  constraint signed_transactions_hash_lower check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint signed_transactions_fees check (max_fee > 0 and priority_fee >= 0 and priority_fee <= max_fee)
);
create unique index signed_transactions_chain_id_tx_hash_key on signed_transactions (chain_id, tx_hash);

-- The wallets that the service signs for. Without a next nonce, the chain is asked before the next signature.
create table signers (
  chain_id      bigint not null,
  address       text not null,
  next_nonce    bigint,
  frozen_at     timestamptz(3),
  frozen_reason text,

  constraint signers_pkey primary key (chain_id, address),
  constraint signers_address_lower check (address ~ '^0x[0-9a-f]{40}$'),
  constraint signers_nonce_positive check (next_nonce >= 0),
  constraint signers_frozen_whole check ((frozen_at is null) = (frozen_reason is null))
);
