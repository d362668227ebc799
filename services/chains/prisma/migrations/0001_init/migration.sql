-- The database of chains. Addresses and hashes are lower-case text everywhere.

-- Catalog

create table chains (
  chain_id           bigint not null,
  name               text not null,
  -- Of the native coin.
  symbol             text not null,
  -- The public provider; providers with keys are configuration and never stored.
  rpc_url            text not null,
  block_explorer_url text,
  is_testnet         boolean not null,
  native_decimals    smallint not null,
  -- Whether a provider is configured at present.
  enabled            boolean not null,
  -- When a provider first returned this chain id; until then the chain is not offered.
  proven_at          timestamptz(3),
  -- When a provider first showed that a deposit address can be swept there twice; until then there are none.
  sweeps_proven_at   timestamptz(3),

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
  -- Whether the configuration lists it at present.
  enabled    boolean not null,
  -- When the contract confirmed these decimals; until then the token is not offered.
  checked_at timestamptz(3),
  -- With which signatures for transfers are made (EIP-712), where it has such transfers (EIP-3009).
  domain_name    text,
  domain_version text,

  constraint tokens_pkey primary key (chain_id, address),
  constraint tokens_chain_id_fkey foreign key (chain_id) references chains (chain_id)
    on delete restrict on update restrict,
  constraint tokens_address_lower check (address ~ '^0x[0-9a-f]{40}$'),
  constraint tokens_domain_whole check ((domain_name is null) = (domain_version is null)),
  constraint tokens_decimals_known check (decimals between 0 and 36)
);

-- Following

-- How far a chain is followed. Each step compares and sets block and epoch, so only one of two leaders can write.
create table cursors (
  chain_id     bigint not null,
  -- Grows with each change of the leader and with each reorganisation.
  epoch        integer not null,
  leader       text,
  leased_until timestamptz(3) not null,
  -- The last block whose transfers are stored.
  head_number  bigint,
  head_hash    text,
  -- Watches that were opened before this transaction are handled.
  watched_xid  bigint not null default 0,
  -- Up to this block the chain is final and was read a second time.
  final_number bigint,
  -- The highest block that the leader has heard of, and when it last heard.
  tip_number   bigint,
  tip_seen_at  timestamptz(3),

  constraint cursors_pkey primary key (chain_id),
  constraint cursors_head_whole check ((head_number is null) = (head_hash is null))
);

-- Blocks at which steps ended or transfers were found. A fork is searched among them.
create table blocks (
  chain_id bigint not null,
  number   bigint not null,
  hash     text not null,
  mined_at timestamptz(3) not null,

  constraint blocks_pkey primary key (chain_id, number)
);

-- Transfers to a watched recipient or of a candidate. They are shared by all tenants.
create table transfers (
  id           bigserial not null,
  chain_id     bigint not null,
  tx_hash      text not null,
  kind         text not null,
  -- Position inside its transaction, among those of its kind.
  ordinal      integer not null,
  block_number bigint not null,
  block_hash   text not null,
  block_time   timestamptz(3) not null,
  currency     text not null,
  sender       text not null,
  recipient    text not null,
  -- Where the money ends: the recipient, or of a deposit address the recipient of its payment.
  wallet       text not null,
  value        numeric(78, 0) not null,
  -- The earliest time of a block that had it: a transfer that is mined again stays in time.
  arrived_at   timestamptz(3) not null,
  -- seen: its block may still be replaced. orphaned: its block was replaced.
  status       text not null,
  -- The payment that its call or its authorization names, or whose deposit address it was sent to.
  reference    text,
  -- The payer has signed the name, and somebody else has sent the transaction.
  is_authorized boolean not null default false,

  constraint transfers_pkey primary key (id),
  constraint transfers_kind_known check (kind in ('log', 'native', 'trace')),
  constraint transfers_value_positive check (value > 0),
  constraint transfers_status_known check (status in ('seen', 'final', 'orphaned'))
);
create unique index transfers_chain_id_tx_hash_kind_ordinal_key on transfers (chain_id, tx_hash, kind, ordinal);
-- Lists the transfers to a wallet in the order in which they were mined.
create index transfers_wallet_chain_id_block_time_idx on transfers (wallet, chain_id, block_time);
-- The few transfers that a reorganisation may still remove, and those that it has removed.
create index transfers_seen on transfers (chain_id, block_number) where status = 'seen';
create index transfers_orphaned on transfers (chain_id) where status = 'orphaned';
-- Those that a payment may be meant by which becomes known later.
create index transfers_named on transfers (reference) where reference is not null;

-- A number that stands for a wallet of a tenant in indexes. Two wallets may share one, so each query compares the columns as well.
create function wallet_key(project_id text, mode smallint, chain_id bigint, recipient text, currency text) returns bigint
  language sql immutable parallel safe
  return hashtextextended(recipient || currency, hashint8extended(chain_id, hashtextextended(project_id, mode)));

-- Verification

-- Transactions whose transfers matter to somebody, and how far each is proven. They are shared by all tenants.
create table transactions (
  chain_id        bigint not null,
  tx_hash         text not null,
  -- waiting; proven: final and agreed; failed: final and reverted; missing: given up, no provider has it.
  state           text not null default 'waiting',
  -- When it is verified next. A worker moves this forward, as its lease.
  next_at         timestamptz(3) not null,
  -- When the search for a transaction that no provider has seen ends; null: never.
  give_up_at      timestamptz(3),
  -- Consecutive searches without a result.
  misses          integer not null default 0,
  created_at      timestamptz(3) not null,
  -- A submission names it, or the transaction that it took the place of: it is kept as long as that one.
  is_submitted    boolean not null default false,

  -- Sender and nonce identify a replacement; it is searched from this block on.
  sender          text,
  nonce           bigint,
  seen_block      bigint,
  -- The transaction that took its place.
  replaced_by     text,

  -- When a provider first returned it, pending or mined.
  first_seen_at   timestamptz(3),
  -- The last verification.
  looked_at       timestamptz(3),
  waits_for       text,
  block_number    bigint,
  block_hash      text,
  block_time      timestamptz(3),
  -- What is proven, by the wallets that it was read for. A wallet that is not here is read for when it asks.
  proofs          jsonb not null default '{}',
  chain_head      bigint,
  providers_agreeing      smallint,
  providers_contradicting smallint,

  constraint transactions_pkey primary key (chain_id, tx_hash),
  constraint transactions_state_known check (state in ('waiting', 'proven', 'failed', 'missing')),
  constraint transactions_waits_for_known
    check (waits_for in ('provider', 'transaction', 'block', 'depth', 'agreement', 'trace')),
  constraint transactions_hash_lower check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint transactions_replacement_lower check (replaced_by ~ '^0x[0-9a-f]{64}$')
);
create index transactions_due on transactions (chain_id, next_at) where state = 'waiting';
create index transactions_purge on transactions (created_at) where not is_submitted;
-- What a transaction took the place of.
create index transactions_replaced on transactions (chain_id, replaced_by) where replaced_by is not null;

-- Hashes that were submitted for payments, refunds and settlements, and what became of them.
create table submissions (
  project_id   text not null,
  mode         smallint not null,
  -- The payment, refund or settlement.
  subject_id   text not null,
  chain_id     bigint not null,
  tx_hash      text not null,
  request_id   text not null,
  recipient    text not null,
  currency     text not null,
  -- Of a refund or settlement: the wallets that may pay it, its own first, the amount, and the earliest time.
  sources      jsonb,
  base_amount  numeric(78, 0),
  not_before   timestamptz(3) not null,
  -- The version of the subject that submitted the hash; a newer one judges it again.
  attempt      integer not null,
  by_merchant  boolean not null default false,
  -- The merchant has given the transaction to the payment.
  is_assigned  boolean not null default false,
  created_at   timestamptz(3) not null,
  -- counted, or why it does not count; null while it is open.
  outcome      text,
  judged_at    timestamptz(3),
  -- How often a reorganisation has taken its proof back. It makes each verdict an event of its own.
  epoch        integer not null default 0,

  constraint submissions_pkey primary key (project_id, mode, subject_id, tx_hash),
  constraint submissions_mode_known check (mode in (1, 2)),
  constraint submissions_outgoing_whole check ((sources is null) = (base_amount is null)),
  constraint submissions_judged_has_time check ((outcome is null) = (judged_at is null)),
  constraint submissions_hash_lower check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint submissions_recipient_lower check (recipient ~ '^0x[0-9a-f]{40}$'),
  constraint submissions_currency_known check (currency = 'native' or currency ~ '^0x[0-9a-f]{40}$')
);
create index submissions_chain_id_tx_hash_idx on submissions (chain_id, tx_hash);
create index submissions_open on submissions (wallet_key(project_id, mode, chain_id, recipient, currency))
  where outcome is null;
create index submissions_purge on submissions (judged_at) where outcome <> 'counted';

-- Attribution

-- Payments that transfers may pay, as their newest events have them.
create table watches (
  payment_id   text not null,
  project_id   text not null,
  mode         smallint not null,
  request_id   text not null,
  chain_id     bigint not null,
  recipient    text not null,
  currency     text not null,
  base_amount  numeric(78, 0) not null,
  opened_at    timestamptz(3) not null,
  expires_at   timestamptz(3) not null,
  -- When it was cancelled, else when it expires.
  ends_at      timestamptz(3) not null,
  -- The wallet that has signed that it pays this payment.
  signed_by    text,
  -- Its project wants no transfer that names no payment.
  is_held      boolean not null default false,
  -- From then on it is due nothing from transfers that name no payment: a part was refunded, or less was accepted.
  closed_at    timestamptz(3),
  -- Its merchant takes whatever came.
  is_accepted  boolean not null default false,
  -- Whether its recipient is followed for it.
  is_followed  boolean not null,
  -- The block whose transfer made it whole; null while something is due.
  paid_block   bigint,
  -- Whether something arrived and something is due.
  has_parts    boolean not null default false,
  -- What is proven reaches the amount, or was accepted: its transfers move no more.
  is_settled   boolean not null default false,
  -- Coin of exactly its amount came from a contract that no provider traces: only a hash can say whose it is.
  is_untraced  boolean not null default false,
  -- Of the payment: an older event changes nothing.
  version      integer not null,
  -- What names it in the call of a transfer.
  reference    text not null,
  -- Its deposit address; null where it is paid at its recipient.
  pay_to       text,
  -- The transaction that opened it. The leader of the chain continues from it.
  opened_xid   bigint not null,

  constraint watches_pkey primary key (project_id, payment_id),
  constraint watches_mode_known check (mode in (1, 2)),
  constraint watches_amount_positive check (base_amount > 0),
  constraint watches_recipient_lower check (recipient ~ '^0x[0-9a-f]{40}$'),
  constraint watches_currency_known check (currency = 'native' or currency ~ '^0x[0-9a-f]{40}$'),
  constraint watches_signed_by_lower check (signed_by ~ '^0x[0-9a-f]{40}$'),
  constraint watches_pay_to_lower check (pay_to ~ '^0x[0-9a-f]{40}$')
);
-- Transactions commit out of order. The leader reads again from the oldest one that was open, so it misses none.
create index watches_chain_id_opened_xid_idx on watches (chain_id, opened_xid) where is_followed;
create index watches_ends_at on watches (ends_at) where pay_to is null;
-- Deposit addresses are watched longer.
create index watches_deposits_ends_at on watches (ends_at) where pay_to is not null;
create index watches_pay_to on watches (chain_id, pay_to) where is_followed and pay_to is not null;
-- Not unique, although no two payments have the same: a second unique index would refuse a payment that two connections
-- store at the same time.
create index watches_reference on watches (reference);
-- The recipients of a chain and tenant, each read once.
create index watches_recipients on watches (chain_id, project_id, mode, recipient, currency) where is_followed;
-- The recipients whose balances are read: contracts that pass native coin on leave no log.
create index watches_native on watches (chain_id, (coalesce(pay_to, recipient)), ends_at desc)
  where is_followed and currency = 'native';
-- The candidates of a transfer: by the amount, by what is left, and any that is due something.
create index watches_by_amount on watches (wallet_key(project_id, mode, chain_id, recipient, currency), base_amount, ends_at);
create index watches_due on watches (wallet_key(project_id, mode, chain_id, recipient, currency), ends_at)
  where paid_block is null;
create index watches_in_parts on watches (wallet_key(project_id, mode, chain_id, recipient, currency)) where has_parts;
create index watches_untraced on watches (wallet_key(project_id, mode, chain_id, recipient, currency))
  where is_untraced and paid_block is null;
create index watches_signed on watches (wallet_key(project_id, mode, chain_id, recipient, currency), signed_by)
  where signed_by is not null;

-- The deposit addresses of all payments there ever were: what is sent there is of its payment, and what comes from there
-- is a sweep.
create table deposit_addresses (
  address    text not null,
  project_id text not null,
  mode       smallint not null,
  payment_id text not null,
  recipient  text not null,
  reference  text not null,

  constraint deposit_addresses_pkey primary key (address),
  constraint deposit_addresses_mode_known check (mode in (1, 2)),
  constraint deposit_addresses_address_lower check (address ~ '^0x[0-9a-f]{40}$'),
  constraint deposit_addresses_recipient_lower check (recipient ~ '^0x[0-9a-f]{40}$')
);
create index deposit_addresses_payment_id_idx on deposit_addresses (payment_id);

-- What is at deposit addresses, as it was read from the chain last.
create table deposits (
  chain_id      bigint not null,
  address       text not null,
  currency      text not null,
  project_id    text not null,
  mode          smallint not null,
  recipient     text not null,
  amount        numeric(78, 0) not null default 0,
  -- The last block that is known to have changed it.
  changed_block bigint not null,
  -- The block as of which the amount was read.
  read_block    bigint not null default -1,
  -- When it is read next; null while nothing is there.
  next_at       timestamptz(3),
  -- From when on a sweep may take it; null while nothing is there.
  sweep_after   timestamptz(3),
  -- The open intent that sweeps it.
  sweep_id      text,

  constraint deposits_pkey primary key (chain_id, address, currency),
  constraint deposits_mode_known check (mode in (1, 2)),
  constraint deposits_amount_positive check (amount >= 0)
);
create index deposits_next_at on deposits (chain_id, next_at) where next_at is not null;
create index deposits_unswept on deposits (project_id, mode, chain_id, recipient, currency) where amount > 0;
create index deposits_sweeps on deposits (project_id, mode, sweep_id) where sweep_id is not null;

create function current_xid() returns bigint language sql stable as $$
  select pg_current_xact_id()::text::bigint
$$;

-- Recipients of a tenant's payments, and of its refunds and settlements with their sender. Transfers to them stay
-- visible to the tenant after its payments are closed.
create table known_recipients (
  project_id  text not null,
  mode        smallint not null,
  chain_id    bigint not null,
  recipient   text not null,
  currency    text not null,
  -- Empty for any sender.
  sender      text not null,
  known_since timestamptz(3) not null,

  constraint known_recipients_pkey primary key (project_id, mode, chain_id, recipient, currency, sender),
  constraint known_recipients_mode_known check (mode in (1, 2))
);
-- Whose transfers are stored, for every transfer that is found.
create index known_recipients_chain_id_recipient_currency_idx on known_recipients (chain_id, recipient, currency);

-- Money that the tenant sends itself: transfers of this sender to this recipient pay no payment of the tenant.
create table expected_payouts (
  project_id  text not null,
  mode        smallint not null,
  subject_id  text not null,
  chain_id    bigint not null,
  source      text not null,
  destination text not null,
  currency    text not null,

  constraint expected_payouts_pkey primary key (project_id, mode, subject_id),
  constraint expected_payouts_mode_known check (mode in (1, 2))
);
create index expected_payouts_by_wallet
  on expected_payouts (wallet_key(project_id, mode, chain_id, destination, currency), source);

-- Wallets of a merchant: without a hash, nothing that they send pays a payment of the project.
create table own_wallets (
  project_id text not null,
  address    text not null,
  -- Whether the project lists it as a payout wallet; else a settlement of it goes there.
  is_payout  boolean not null,

  constraint own_wallets_pkey primary key (project_id, address, is_payout)
);

-- What says which wallets of a project are screened; null for nothing.
create table screening_policies (
  project_id text not null,
  version    integer not null,
  policy     jsonb,

  constraint screening_policies_pkey primary key (project_id)
);

-- Wallets that pay a payment of a project that screens, each with the one answer about it.
create table screenings (
  project_id text not null,
  mode       smallint not null,
  payment_id text not null,
  sender     text not null,
  chain_id   bigint not null,
  recipient  text not null,
  currency   text not null,
  -- Null before an answer.
  is_blocked boolean,
  cause      text,
  attempts   smallint not null default 0,
  -- When it is asked for again; null after the answer.
  next_at    timestamptz(3),
  -- Whether a decision has read the answer.
  is_told    boolean not null default false,

  constraint screenings_pkey primary key (project_id, payment_id, sender),
  constraint screenings_mode_known check (mode in (1, 2)),
  constraint screenings_answered_or_due check ((is_blocked is null) = (next_at is not null)),
  constraint screenings_blocked_for_a_cause check ((is_blocked is true) = (cause is not null))
);
create index screenings_next_at_idx on screenings (next_at) where next_at is not null;
create index screenings_untold on screenings (wallet_key(project_id, mode, chain_id, recipient, currency))
  where next_at is null and not is_told;

-- What each tenant makes of a transfer to one of its recipients: the payment that it is for, or why it is for none.
create table attributions (
  transfer_id bigint not null,
  project_id  text not null,
  mode        smallint not null,
  wallet_key  bigint not null,
  -- Whether the decision may still change.
  is_open     boolean not null default true,
  payment_id  text,
  -- reference, authorization, address, merchant, signature, lone or group.
  rule        text,
  -- Why it is for none; null before the first decision.
  reason      text,
  -- The payments that it may be meant for, or that its group was for.
  candidates  jsonb,
  decided_at  timestamptz(3),

  constraint attributions_pkey primary key (transfer_id, project_id, mode),
  constraint attributions_mode_known check (mode in (1, 2)),
  constraint attributions_transfer_id_fkey foreign key (transfer_id) references transfers (id)
    on delete restrict on update restrict,
  constraint attributions_rule_known check (rule in ('reference', 'authorization', 'address', 'merchant', 'signature', 'lone', 'group')),
  constraint attributions_paid_has_rule check ((payment_id is null) = (rule is null)),
  constraint attributions_reason_known check (reason in
    ('several_fit', 'own_wallet', 'more_than_due', 'held', 'dust', 'late', 'no_payment', 'named_elsewhere',
     'unknown_reference', 'wrong_currency', 'payout', 'sweep'))
);
create index attributions_open on attributions (wallet_key) where is_open;
-- Transfers that wait for a person's decision.
create index attributions_undecided on attributions (project_id, mode, transfer_id) where payment_id is null
  and reason in
    ('several_fit', 'more_than_due', 'held', 'late', 'no_payment', 'named_elsewhere', 'unknown_reference',
     'wrong_currency');
create index attributions_payments on attributions (project_id, payment_id) where payment_id is not null;

-- Wallets whose transfers have to be decided. Who changes a fact adds one, in the same transaction.
create table attribution_queue (
  project_id text not null,
  mode       smallint not null,
  chain_id   bigint not null,
  recipient  text not null,
  currency   text not null,
  next_at    timestamptz(3) not null,
  -- Grows with each change of a fact; a decision that saw fewer is followed by another one.
  marks      bigint not null default 1,
  -- Who decides at present, and until when. A later lease ends the write of an earlier one.
  lease        text,
  leased_until timestamptz(3),
  -- How often in a row it could not be decided.
  faults     integer not null default 0,

  constraint attribution_queue_pkey primary key (project_id, mode, chain_id, recipient, currency),
  constraint attribution_queue_mode_known check (mode in (1, 2))
);
create index attribution_queue_next_at_idx on attribution_queue (next_at);

-- The money of each payment as it was published last.
create table payment_sums (
  project_id text not null,
  payment_id text not null,
  turn       integer not null,
  money      jsonb not null,

  constraint payment_sums_pkey primary key (project_id, payment_id)
);

-- Proven money: which subject a transfer pays. By its key a transfer pays once inside a tenant, whatever other tenants hold.
create table allocations (
  transfer_id  bigint not null,
  project_id   text not null,
  mode         smallint not null,
  subject_id   text not null,
  created_at   timestamptz(3) not null default current_timestamp,

  constraint allocations_pkey primary key (transfer_id, project_id, mode),
  constraint allocations_mode_known check (mode in (1, 2)),
  constraint allocations_transfer_id_fkey foreign key (transfer_id) references transfers (id)
    on delete restrict on update restrict
);
create index allocations_subject_id_idx on allocations (subject_id);
-- A statement reads one day of a tenant in this order.
create index allocations_project_id_mode_created_at_transfer_id_idx
  on allocations (project_id, mode, created_at, transfer_id);
-- The books compare each allocation once, in the order of time.
create index allocations_created_at_idx on allocations using brin (created_at);

-- Transfers to recipients of a tenant, and the subject that each of them pays there. A recipient of refunds is known for
-- the transfers of the paying wallet only, unless it is a recipient of payments too.
create view merchant_transfers as
select r.project_id, r.mode, t.id, t.block_time as created_at, t.chain_id, t.tx_hash, t.kind, t.ordinal, t.currency,
  t.sender, t.recipient, t.value, t.block_number, t.block_time, t.status,
  coalesce(a.subject_id, d.payment_id) as subject_id, a.created_at as confirmed_at,
  a.subject_id is null and d.payment_id is null and d.reason is not null and d.reason not in ('dust', 'payout', 'sweep')
    as unmatched,
  d.rule, case when a.subject_id is null and d.payment_id is null then d.reason end as reason,
  case when a.subject_id is null and d.payment_id is null then d.candidates end as candidates,
  (select native_decimals from chains where chain_id = t.chain_id and t.currency = 'native'
    union all
    select decimals from tokens where chain_id = t.chain_id and address = t.currency) as decimals
from known_recipients r join transfers t on t.chain_id = r.chain_id and t.wallet = r.recipient
    and t.currency = r.currency and t.block_time >= date_trunc('second', r.known_since)
  left join allocations a on a.transfer_id = t.id and a.project_id = r.project_id and a.mode = r.mode
  left join attributions d on d.transfer_id = t.id and d.project_id = r.project_id and d.mode = r.mode
where t.status <> 'orphaned'
  -- Money on its way to a wallet of several tenants is of one of them.
  and case when d.transfer_id is null then t.recipient = t.wallet else true end
  and (r.sender = '' or r.sender = t.sender and not exists (
  select from known_recipients p
  where p.project_id = r.project_id and p.mode = r.mode and p.chain_id = r.chain_id
    and p.recipient = r.recipient and p.currency = r.currency and p.sender = ''));

-- Payouts

-- Refunds and settlements that the service sends itself, and sweeps of deposit addresses. Intent, nonce and signed bytes are stored in one transaction
-- before anything is sent, so a crash sends the same bytes again and at most one of them is mined.
create table intents (
  subject_id     text not null,
  project_id     text not null,
  mode           smallint not null,
  request_id     text not null,
  -- transfer: money of the signing wallet. sweep: money of deposit addresses. authorization: money of a payer who has
  -- signed for it. Of the last two the wallet pays the gas alone.
  kind           text not null default 'transfer',
  -- Of a refund: its payment, whose sender may receive the money.
  payment_id     text,
  -- Of a sweep: the payments whose deposit addresses it sweeps.
  payment_ids    jsonb,
  chain_id       bigint not null,
  source         text not null,
  destination    text not null,
  currency       text not null,
  decimals       smallint not null,
  base_amount    numeric(78, 0) not null,
  -- Of an authorization: the call of its transaction, in hex, to the contract of the currency.
  call_data      text,
  -- The earliest time of a transfer that can pay it.
  owed_since     timestamptz(3) not null,
  -- Of the refund or settlement.
  version        integer not null,
  state          text not null default 'waiting',
  -- Why nothing of it is sent at present.
  held_reason    text,
  failure_reason text,
  nonce          bigint,
  gas_limit      bigint,
  signed_at      timestamptz(3),
  -- The head of the chain when it was signed.
  signed_block   bigint,
  mined_tx_hash  text,
  mined_block    bigint,
  -- When it is processed next. A process moves this forward, as its lease.
  next_at        timestamptz(3) not null,
  created_at     timestamptz(3) not null,
  ended_at       timestamptz(3),

  constraint intents_pkey primary key (project_id, mode, subject_id),
  constraint intents_mode_known check (mode in (1, 2)),
  constraint intents_kind_known check (kind in ('transfer', 'sweep', 'authorization')),
  constraint intents_sweep_whole check ((kind = 'sweep') = (payment_ids is not null)),
  constraint intents_state_known check (state in ('waiting', 'signed', 'completed', 'failed')),
  constraint intents_amount_positive check (base_amount > 0),
  constraint intents_source_lower check (source ~ '^0x[0-9a-f]{40}$'),
  constraint intents_destination_lower check (destination ~ '^0x[0-9a-f]{40}$'),
  constraint intents_currency_known check (currency = 'native' or currency ~ '^0x[0-9a-f]{40}$'),
  constraint intents_signed_whole check
    ((nonce is null) = (signed_at is null) and (nonce is null) = (gas_limit is null)
      and (nonce is null) = (signed_block is null)),
  constraint intents_waiting_unsigned check (state <> 'waiting' or nonce is null),
  constraint intents_sent_signed check (state not in ('signed', 'completed') or nonce is not null),
  constraint intents_mined_signed check (mined_tx_hash is null or nonce is not null),
  constraint intents_ended check ((ended_at is null) = (state in ('waiting', 'signed')))
);
-- A nonce belongs to one intent for ever.
create unique index intents_nonces on intents (chain_id, source, nonce) where nonce is not null;
create index intents_due on intents (chain_id, source, state, next_at) where state in ('waiting', 'signed');
-- The amount that a wallet has sent within a day, for its limit.
create index intents_signed on intents (chain_id, source, currency, signed_at) where signed_at is not null;
-- The amount that was signed for refunds of a payment.
create index intents_signed_refunds on intents (project_id, mode, payment_id)
  where payment_id is not null and signed_at is not null;

-- What payers have signed for, each with its intent. One of a payment is open at a time, and one nonce of a payer is spent
-- once, so no payer pays twice.
create table authorizations (
  subject_id   text not null,
  project_id   text not null,
  mode         smallint not null,
  payment_id   text not null,
  chain_id     bigint not null,
  token        text not null,
  payer        text not null,
  recipient    text not null,
  value        numeric(78, 0) not null,
  nonce        text not null,
  valid_before timestamptz(3) not null,
  -- What names the payment: the beginning of the nonce, or the transaction of the service where the nonce is another one.
  reference    text not null,
  -- Whoever sends it, it is for the payment: by its nonce, or by its recipient.
  names_payment boolean not null,
  -- Who pays the gas, and at most how much of the native coin.
  sponsor      text not null,
  gas_cost     numeric(78, 0) not null,
  -- The head of the chain when it was accepted.
  opened_block bigint not null,
  -- open; used: in a block; cancelled by the payer; expired or failed: never spent.
  state        text not null default 'open',
  tx_hash      text,
  created_at   timestamptz(3) not null,
  ended_at     timestamptz(3),

  constraint authorizations_pkey primary key (project_id, mode, subject_id),
  constraint authorizations_mode_known check (mode in (1, 2)),
  constraint authorizations_state_known check (state in ('open', 'used', 'cancelled', 'expired', 'failed')),
  constraint authorizations_ended check ((ended_at is null) = (state = 'open')),
  constraint authorizations_nonce_lower check (nonce ~ '^0x[0-9a-f]{64}$'),
  constraint authorizations_payer_lower check (payer ~ '^0x[0-9a-f]{40}$'),
  constraint authorizations_token_lower check (token ~ '^0x[0-9a-f]{40}$'),
  constraint authorizations_recipient_lower check (recipient ~ '^0x[0-9a-f]{40}$')
);
create unique index authorizations_open on authorizations (project_id, mode, payment_id) where state = 'open';
create unique index authorizations_nonces on authorizations (chain_id, token, payer, nonce)
  where state in ('open', 'used', 'cancelled');
create index authorizations_payers on authorizations (payer, nonce);
create index authorizations_payments on authorizations (project_id, mode, payment_id, created_at);
-- What gas was promised within a day.
create index authorizations_sponsors on authorizations (chain_id, sponsor, created_at);
create index authorizations_failed on authorizations (payer, ended_at) where state = 'failed';

-- Each signed form of an intent's transaction. All have its nonce, so at most one of them is mined.
create table signed_transactions (
  project_id   text not null,
  mode         smallint not null,
  subject_id   text not null,
  ordinal      smallint not null,
  chain_id     bigint not null,
  tx_hash      text not null,
  raw          bytea not null,
  max_fee      numeric(78, 0) not null,
  priority_fee numeric(78, 0) not null,
  signed_at    timestamptz(3) not null,
  -- When a provider last accepted it.
  sent_at      timestamptz(3),

  constraint signed_transactions_pkey primary key (project_id, mode, subject_id, ordinal),
  constraint signed_transactions_project_id_mode_subject_id_fkey foreign key (project_id, mode, subject_id)
    references intents (project_id, mode, subject_id) on delete restrict on update restrict,
  constraint signed_transactions_hash_lower check (tx_hash ~ '^0x[0-9a-f]{64}$'),
  constraint signed_transactions_fees check (max_fee > 0 and priority_fee >= 0 and priority_fee <= max_fee)
);
create unique index signed_transactions_chain_id_tx_hash_key on signed_transactions (chain_id, tx_hash);

-- Wallets that the service signs for.
create table signers (
  chain_id      bigint not null,
  address       text not null,
  -- Null: the nonce is read from the chain before the next signature.
  next_nonce    bigint,
  -- Set where the wallet sent a transaction that no intent holds; nothing is signed until an operator decides.
  frozen_at     timestamptz(3),
  frozen_reason text,

  constraint signers_pkey primary key (chain_id, address),
  constraint signers_address_lower check (address ~ '^0x[0-9a-f]{40}$'),
  constraint signers_nonce_positive check (next_nonce >= 0),
  constraint signers_frozen_whole check ((frozen_at is null) = (frozen_reason is null))
);

-- Books: the wallets of merchants as the chain shows them, compared with the records.

-- A wallet in one currency. Its movements are known after opened_block, up to checked_block; -1: not opened yet.
create table book_accounts (
  id            bigserial not null,
  chain_id      bigint not null,
  wallet        text not null,
  currency      text not null,
  opened_block  bigint not null default -1,
  checked_block bigint not null default -1,
  -- The last balance that was read and the movements since; null while none could be read.
  expected      numeric(78, 0),
  balance       numeric(78, 0),
  balance_block bigint,
  nonce         bigint,
  -- Grows with each lease: a process that was too slow writes nothing.
  lease         bigint not null default 0,
  leased_until  timestamptz(3) not null default '2000-01-01T00:00:00Z',

  constraint book_accounts_pkey primary key (id),
  constraint book_accounts_wallet_lower check (wallet ~ '^0x[0-9a-f]{40}$'),
  constraint book_accounts_currency_lower check (currency = lower(currency)),
  constraint book_accounts_opened check (checked_block >= opened_block and (opened_block <> -1 or checked_block = -1))
);
create unique index book_accounts_chain_id_wallet_currency_key on book_accounts (chain_id, wallet, currency);
create index book_accounts_chain_id_checked_block_idx on book_accounts (chain_id, checked_block);

-- Movements on the chain; kind and ordinal are those of transfers. unseen: native coin that no transaction explains.
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

-- Where the chain and the records differ, both in base units.
create table book_differences (
  id           bigserial not null,
  account_id   bigint not null,
  kind         text not null,
  -- Identifies the difference, so that it is stored once.
  reference    text not null,
  project_id   text,
  mode         smallint,
  subject_id   text,
  tx_hash      text,
  block_number bigint not null,
  recorded     numeric(78, 0) not null,
  on_chain     numeric(78, 0) not null,
  noted_at     timestamptz(3) not null default current_timestamp,
  -- When an operator closed it.
  closed_at    timestamptz(3),

  constraint book_differences_pkey primary key (id),
  constraint book_differences_account_id_fkey foreign key (account_id) references book_accounts (id)
    on delete restrict on update restrict,
  constraint book_differences_kind_known check (kind in ('transfer', 'balance')),
  constraint book_differences_differ check (recorded <> on_chain)
);
create unique index book_differences_account_id_kind_reference_key on book_differences (account_id, kind, reference);

-- Whose wallets the accounts are.
create table book_owners (
  project_id text not null,
  mode       smallint not null,
  account_id bigint not null,

  constraint book_owners_pkey primary key (project_id, mode, account_id),
  constraint book_owners_mode_known check (mode in (1, 2)),
  constraint book_owners_account_id_fkey foreign key (account_id) references book_accounts (id)
    on delete restrict on update restrict
);

-- An account in a month (UTC, YYYY-MM). The first batch of blocks of a month opens its row, the first of the next closes it.
create table book_months (
  id            bigserial not null,
  account_id    bigint not null,
  month         text not null,
  -- What was there before its first block; null while no balance could be read.
  opening       numeric(78, 0),
  -- When the account was opened, where that was in this month.
  watched_since timestamptz(3),
  -- What came in without what went out, fees apart, and how many movements that are.
  moved         numeric(79, 0) not null,
  movements     integer not null,
  fees          numeric(78, 0) not null,
  -- What balances showed beyond the movements.
  unexplained   numeric(79, 0) not null,
  -- Present once the month is over. A balance that could not be read there stays null.
  closed_block  bigint,
  balance       numeric(78, 0),

  constraint book_months_pkey primary key (id),
  constraint book_months_month_form check (month ~ '^\d{4}-\d\d$'),
  constraint book_months_account_id_fkey foreign key (account_id) references book_accounts (id)
    on delete restrict on update restrict
);
create unique index book_months_account_id_month_key on book_months (account_id, month);
-- What is not proven to be equal.
create index book_months_open_idx on book_months (account_id, month)
  where unexplained <> 0 or closed_block is not null and balance is null;

-- What is recorded of an account for a tenant in a month. A transfer is mined in one month and may be recorded in another.
create table book_records (
  project_id  text not null,
  mode        smallint not null,
  account_id  bigint not null,
  month       text not null,
  -- Recorded in the month.
  payments    numeric(78, 0) not null,
  refunds     numeric(78, 0) not null,
  settlements numeric(78, 0) not null,
  -- What of it the chain does not show.
  unproven    numeric(79, 0) not null,
  -- Movements of the month that are recorded, in whichever month.
  matched     numeric(79, 0) not null,
  matches     integer not null,
  -- Those of them that are recorded in another month, without those of another month that are recorded in this one.
  carried     numeric(79, 0) not null,

  constraint book_records_pkey primary key (project_id, mode, account_id, month),
  constraint book_records_mode_known check (mode in (1, 2)),
  constraint book_records_account_id_fkey foreign key (account_id) references book_accounts (id)
    on delete restrict on update restrict
);
create index book_records_unproven_idx on book_records (project_id, mode, account_id, month) where unproven <> 0;

-- Allocations that were removed or replaced: what they were, until the sums of the records are without them.
create table book_corrections (
  id          bigserial not null,
  transfer_id bigint not null,
  project_id  text not null,
  mode        smallint not null,
  subject_id  text not null,
  recorded_at timestamptz(3) not null,

  constraint book_corrections_pkey primary key (id)
);

-- Until when the allocations of a chain were compared with its books.
create table book_cursors (
  chain_id       bigint not null,
  compared_until timestamptz(3) not null,

  constraint book_cursors_pkey primary key (chain_id)
);

-- Shared with the other services

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

-- Events already handled, by consumer, with a partition for each day.
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
