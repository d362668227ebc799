-- Numbers that indexes hold in place of a tenant and a value, a quarter of their bytes. Two values may share a
-- number, so each query compares the columns as well.
create function payment_key(project_id text, mode smallint, value text) returns bigint
  language sql immutable parallel safe
  return hashtextextended(value, hashtextextended(project_id, mode));

create function payment_kind_key(project_id text, mode smallint, variant smallint, status text, chain_id bigint)
  returns bigint language sql immutable parallel safe
  return hashtextextended(status, hashint8extended(chain_id, hashtextextended(project_id, mode * 4 + variant)));

-- The same of a wallet that receives payments; merchants write addresses in several ways.
create function wallet_key(project_id text, mode smallint, chain_id bigint, recipient_address text) returns bigint
  language sql immutable parallel safe
  return payment_key(project_id, mode, chain_id || lower(recipient_address));

create function current_xid() returns bigint language sql stable as $$
  select pg_current_xact_id()::text::bigint
$$;

-- Payments: requested amounts and what has become of them. Columns of a fixed length come first, because they need no
-- padding then.
create table payments (
  created_at                   timestamptz(3) not null,
  expires_at                   timestamptz(3) not null,
  chain_id                     bigint not null,
  confirmed_at                 timestamptz(3),
  refunded_at                  timestamptz(3),
  cancelled_at                 timestamptz(3),
  -- From then on it takes no transfer that names no payment: less was accepted, or a part was refunded.
  closed_at                    timestamptz(3),
  -- The last time that a reorganization of the chain removed money that was enough.
  reorged_at                   timestamptz(3),
  -- When a payment that is processing has waited long enough.
  due_at                       timestamptz(3),
  payer_signed_at              timestamptz(3),
  -- Of the last transfer that counts.
  block_number                 bigint,
  -- The transaction of the last change: who has read all that came before one asks for what came since.
  changed_xid                  bigint not null default current_xid(),
  -- Counts the changes; each change is guarded by the version it was decided on.
  version                      integer not null default 1,
  -- Counts the reports of chains about the money.
  money_turn                   integer,
  mode                         smallint not null,
  variant                      smallint not null,
  decimals                     smallint not null,
  secret_version               smallint not null,
  extensions                   smallint,
  qr_mode                      boolean not null,
  refund_declared              boolean not null default false,
  id                           text not null,
  project_id                   text not null,
  status                       text not null,
  amount                       text not null,
  base_amount                  numeric(78, 0) not null,
  -- As the merchant wrote them; the chain compares 20 bytes.
  currency                     text not null,
  recipient_address            text not null,
  -- Its deposit address, lower case; null where it is paid at its recipient.
  pay_to                       text,
  description                  text,
  metadata_json                text,
  order_id                     text,
  customer_id                  text,
  return_url                   text,
  cancel_url                   text,
  locale                       text,
  -- What the checkout page shows beside the amount.
  display_amount               text,
  display_currency             text,
  unnamed_transfers            text,
  -- Null where a key created it.
  source                       text,
  -- The id of the key or of the member that created it.
  requested_by                 text,
  tx_hash                      bytea,
  -- The last transfer that counts, where tx_hash is another.
  money_tx_hash                bytea,
  payer_address                bytea,
  -- The wallet that sent all of final_base_amount.
  sender_address               bytea,
  -- In a block, in time and late together; null for nothing, like the sums below.
  received_base_amount         numeric(78, 0),
  -- What of it is proven.
  final_base_amount            numeric(78, 0),
  -- What of both came late.
  late_base_amount             numeric(78, 0),
  late_final_base_amount       numeric(78, 0),
  -- The sum that the merchant has accepted.
  accepted_base_amount         numeric(78, 0),
  -- Completed refunds, and those of them that gave back more than the amount.
  refunded_base_amount         numeric(78, 0),
  surplus_refunded_base_amount numeric(78, 0),
  -- Refunds that are not failed.
  reserved_base_amount         numeric(78, 0),
  failure_code                 text,
  late_decision                text,
  needs                        text,
  -- Submitted transactions, wallets where several paid, and transfers that need a signature: src/domain/payment.ts.
  hashes                       jsonb,
  senders                      jsonb,
  arrived                      jsonb,
  -- Wallets that screening has named, and what is proven of what they have sent in time.
  screened                     jsonb,
  screened_base_amount         numeric(78, 0),
  -- The timeline; storage/timelines.ts has the format.
  steps                        text,

  constraint payments_pkey primary key (project_id, id, status),
  constraint payments_mode_known check (mode in (1, 2)),
  constraint payments_variant_known check (variant in (1, 2)),
  constraint payments_amount_positive check (base_amount > 0),
  constraint payments_hashes_have_32_bytes check (octet_length(tx_hash) = 32 and
    (money_tx_hash is null or octet_length(money_tx_hash) = 32)),
  constraint payments_wallets_have_20_bytes
    check (octet_length(payer_address) = 20 and (sender_address is null or octet_length(sender_address) = 20)),
  constraint payments_confirmed_has_proof check (status <> 'confirmed'
    or (confirmed_at is not null and tx_hash is not null and block_number is not null and final_base_amount > 0)),
  constraint payments_sums_ordered check (final_base_amount <= received_base_amount
    and coalesce(late_base_amount, 0) <= received_base_amount),
  constraint payments_due_while_processing check ((status = 'processing') = (due_at is not null)),
  constraint payments_late_decision_known check (late_decision in ('accepted', 'rejected')),
  constraint payments_unnamed_transfers_known check (unnamed_transfers = 'hold'),
  constraint payments_source_known check (source = 'dashboard'),
  constraint payments_display_whole check ((display_amount is null) = (display_currency is null)),
  constraint payments_lists_bounded check (jsonb_array_length(hashes) between 1 and 10
    and (senders is null or jsonb_array_length(senders) between 1 and 10)
    and (arrived is null or jsonb_array_length(arrived) between 1 and 5)
    and (screened is null or jsonb_array_length(screened) between 1 and 10)),
  constraint payments_steps_bounded check (octet_length(steps) <= 20000)
) partition by list (status);

-- A payment that still changes lies in a small part, and the large part gets each payment once. A status without a
-- part is refused. The small parts are vacuumed early, because every row leaves them soon.
create table payments_awaiting partition of payments for values in ('created', 'pending')
  with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05);
create table payments_processing partition of payments for values in ('processing')
  with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05);
create table payments_closed partition of payments
  for values in ('confirmed', 'failed', 'expired', 'refunded');

-- Times ascend in every index, because then a page that is split stays full. The id, which breaks ties, is left out:
-- few payments have the same time, so those are sorted when read.
create index payments_by_kind
  on payments (payment_kind_key(project_id, mode, variant, status, chain_id), created_at);
-- A client secret names its payment by the id alone.
create index payments_id_idx on payments (id);
create index payments_by_order on payments (payment_key(project_id, mode, order_id), created_at)
  where order_id is not null;
create index payments_by_customer on payments (payment_key(project_id, mode, customer_id), created_at)
  where customer_id is not null;
create index payments_by_needs on payments (payment_key(project_id, mode, needs), created_at)
  where needs is not null;
-- What waits for a person's decision: money that is neither enough nor in time nor clear, until it is accepted,
-- rejected or returned.
create index payments_undecided on payments (project_id, mode, created_at, id)
  where coalesce(reserved_base_amount, 0) = 0 and late_decision is null
    and (needs = 'review' or failure_code in ('underpaid', 'late', 'ambiguous', 'wrong_token'));
create index payments_by_source on payments (payment_key(project_id, mode, source), created_at)
  where source is not null;
create index payments_by_payer
  on payments (payment_key(project_id, mode, encode(coalesce(sender_address, payer_address), 'hex')))
  where coalesce(sender_address, payer_address) is not null;
create index payments_by_hash on payments (payment_key(project_id, mode, encode(tx_hash, 'hex')))
  where tx_hash is not null;
create index payments_awaiting_expiry on payments_awaiting (expires_at);
create index payments_processing_due on payments_processing (due_at);
-- Payments that a transfer may be meant for.
create index payments_awaiting_by_wallet
  on payments_awaiting (wallet_key(project_id, mode, chain_id, recipient_address), changed_xid);
create index payments_processing_by_wallet
  on payments_processing (wallet_key(project_id, mode, chain_id, recipient_address), changed_xid);
create index payments_failed_by_wallet
  on payments_closed (wallet_key(project_id, mode, chain_id, recipient_address), expires_at) where status = 'failed';

-- How many payments a project has of each kind. A count is spread over shards, because writers of one row would wait
-- for each other.
create table payment_totals (
  project_id text not null,
  mode       smallint not null,
  variant    smallint not null,
  status     text not null,
  chain_id   bigint not null,
  shard      smallint not null,
  payments   bigint not null,

  constraint payment_totals_pkey primary key (project_id, mode, variant, status, chain_id, shard)
) with (fillfactor = 50);

-- The same by the hour and day of creation. Writers add to the shards of an hour from 1 on; a job rolls those up into
-- shard 0 of the hour and of its day.
create table payment_counts (
  project_id text not null,
  mode       smallint not null,
  grain      text not null,
  since      timestamptz(3) not null,
  variant    smallint not null,
  status     text not null,
  chain_id   bigint not null,
  shard      smallint not null,
  payments   bigint not null,

  constraint payment_counts_pkey primary key (project_id, mode, grain, since, variant, status, chain_id, shard),
  constraint payment_counts_grain_known check (grain in ('day', 'hour'))
) with (fillfactor = 50);
create index payment_counts_pending on payment_counts (since, project_id, mode) where shard > 0;
create index payment_counts_pending_by_project on payment_counts (project_id, mode, since) where shard > 0;

-- What the payments of a project came to on a day (UTC), by currency. Started counts by the day of creation, paid by
-- that of the confirmation; received and refunded by that of the change, which may take some of it back.
create table payment_sums (
  project_id           text not null,
  mode                 smallint not null,
  day                  date not null,
  chain_id             bigint not null,
  -- Lower case.
  currency             text not null,
  decimals             smallint not null,
  shard                smallint not null,
  started              bigint not null default 0,
  paid                 bigint not null default 0,
  received             bigint not null default 0,
  refunded             bigint not null default 0,
  started_base_amount  numeric not null default 0,
  paid_base_amount     numeric not null default 0,
  received_base_amount numeric not null default 0,
  refunded_base_amount numeric not null default 0,

  constraint payment_sums_pkey primary key (project_id, mode, day, chain_id, currency, decimals, shard)
) with (fillfactor = 50);

-- Codes that open a payment once in another browser of the customer.
create table handoffs (
  payment_id text not null,
  -- SHA-256 of the code, so that a reader of the table can open nothing.
  digest     bytea not null,
  expires_at timestamptz(3) not null,

  constraint handoffs_pkey primary key (payment_id),
  constraint handoffs_digest_whole check (octet_length(digest) = 32)
);
create index handoffs_expires_at_idx on handoffs (expires_at);

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

-- The counts change in the transaction that changes the payments, so they are exact. Rows are taken in one order in
-- each table, and the tables in one order, so that two statements cannot wait for each other in a circle.
create function payment_counts_add() returns trigger language plpgsql as $$
declare
  sign constant integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into payment_totals as total (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, pg_backend_pid() % 32, sign * count(*)
  from changed group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, variant, status, chain_id, shard)
  do update set payments = total.payments + excluded.payments;

  insert into payment_counts as counted (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, 'hour', date_trunc('hour', created_at, 'UTC'), variant, status, chain_id,
    1 + pg_backend_pid() % 4, sign * count(*)
  from changed group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = counted.payments + excluded.payments;

  insert into payment_sums as summed
    (project_id, mode, day, chain_id, currency, decimals, shard, started, started_base_amount)
  select project_id, mode, (created_at at time zone 'UTC')::date, chain_id, lower(currency), decimals,
    pg_backend_pid() % 4, sign * count(*), sign * sum(base_amount)
  from changed group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (project_id, mode, day, chain_id, currency, decimals, shard)
  do update set started = summed.started + excluded.started,
    started_base_amount = summed.started_base_amount + excluded.started_base_amount;
  return null;
end $$;

create function payment_counts_move() returns trigger language plpgsql as $$
begin
  insert into payment_totals as total (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, pg_backend_pid() % 32, sum(n)
  from (
    select project_id, mode, variant, status, chain_id, 1 as n from added
    union all
    select project_id, mode, variant, status, chain_id, -1 from removed
  ) moves
  group by 1, 2, 3, 4, 5 having sum(n) <> 0 order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, variant, status, chain_id, shard)
  do update set payments = total.payments + excluded.payments;

  insert into payment_counts as counted (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, 'hour', date_trunc('hour', created_at, 'UTC'), variant, status, chain_id,
    1 + pg_backend_pid() % 4, sum(n)
  from (
    select project_id, mode, variant, status, chain_id, created_at, 1 as n from added
    union all
    select project_id, mode, variant, status, chain_id, created_at, -1 from removed
  ) moves
  group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = counted.payments + excluded.payments;

  insert into payment_sums as summed (project_id, mode, day, chain_id, currency, decimals, shard,
    paid, paid_base_amount, received, received_base_amount, refunded, refunded_base_amount)
  select project_id, mode, part.day, chain_id, lower(currency), decimals, pg_backend_pid() % 4,
    sum(n * part.paid), sum(n * part.paid * base_amount),
    sum(n * part.moved * (received > 0)::int), sum(n * part.moved * received),
    sum(n * part.moved * (refunded > 0)::int), sum(n * part.moved * refunded)
  from (
    select project_id, mode, chain_id, currency, decimals, base_amount, confirmed_at,
      coalesce(received_base_amount, 0) as received, coalesce(refunded_base_amount, 0) as refunded, 1 as n from added
    union all
    select project_id, mode, chain_id, currency, decimals, base_amount, confirmed_at,
      coalesce(received_base_amount, 0), coalesce(refunded_base_amount, 0), -1 from removed
  ) moves cross join lateral (
    values ((confirmed_at at time zone 'UTC')::date, 1, 0), ((current_timestamp at time zone 'UTC')::date, 0, 1)
  ) part (day, paid, moved)
  where part.day is not null
  group by 1, 2, 3, 4, 5, 6
  having sum(n * part.paid) <> 0 or sum(n * part.moved * received) <> 0 or sum(n * part.moved * refunded) <> 0
  order by 1, 2, 3, 4, 5, 6
  on conflict (project_id, mode, day, chain_id, currency, decimals, shard)
  do update set paid = summed.paid + excluded.paid,
    paid_base_amount = summed.paid_base_amount + excluded.paid_base_amount,
    received = summed.received + excluded.received,
    received_base_amount = summed.received_base_amount + excluded.received_base_amount,
    refunded = summed.refunded + excluded.refunded,
    refunded_base_amount = summed.refunded_base_amount + excluded.refunded_base_amount;
  return null;
end $$;

create trigger payments_added after insert on payments
  referencing new table as changed for each statement execute function payment_counts_add();
create trigger payments_removed after delete on payments
  referencing old table as changed for each statement execute function payment_counts_add();
create trigger payments_moved after update on payments
  referencing new table as added old table as removed
  for each statement execute function payment_counts_move();

-- The timeline with one more step, or with none. Lines without a hash are about the hash of the payment, so they name
-- it when it changes. The latest 100 steps are kept; as many have at least 1,500 bytes.
create function append_payment_step(steps text, old_hash bytea, new_hash bytea, step text) returns text
language plpgsql immutable parallel safe as $$
declare
  lines text[];
begin
  if old_hash is distinct from new_hash then
    steps := regexp_replace(steps, '^([^#]+)$', '\1#' || coalesce(encode(old_hash, 'hex'), ''), 'gn');
  end if;
  if step is null then
    return steps;
  end if;
  if octet_length(steps) >= 1500 then
    lines := string_to_array(steps, e'\n');
    steps := array_to_string(lines[cardinality(lines) - 98:], e'\n');
  end if;
  return concat_ws(e'\n', steps, step);
end $$;

-- Payments of one kind in a period, newest first, after a position in the list. Always from the index in its order:
-- by the average of all kinds the planner would sort a whole kind, which may be most of the table.
create function list_payments_of_kind(of_project text, of_mode smallint, of_variant smallint, of_status text,
  of_chain bigint, since timestamptz, before timestamptz, after_time timestamptz, after_id text, wanted bigint)
returns setof payments language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query select * from payments
    where payment_kind_key(project_id, mode, variant, status, chain_id)
        = payment_kind_key(of_project, of_mode, of_variant, of_status, of_chain)
      and project_id = of_project and mode = of_mode and variant = of_variant and status = of_status
      and chain_id = of_chain and created_at >= since and created_at < before and created_at <= after_time
      and (created_at < after_time or id < after_id)
    order by created_at desc, id desc limit wanted;
end $$;

-- Payments with one value, e.g. one order, newest first. Most payments of a project may have it, and the planner,
-- without statistics of partial indexes, would sort them all for each page.
create function payments_with_value_from(of_column text) returns text language sql immutable parallel safe
  return format($text$payments payment
    where payment_key(project_id, mode, %1$I) = payment_key($1, $2, $3)
      and project_id = $1 and mode = $2 and %1$I = $3
      and ($4 is null or status = any ($4)) and ($5 is null or variant = $5) and ($6 is null or chain_id = $6)
      and created_at >= $7 and created_at < $8$text$, of_column);

create function list_payments_with_value(of_column text, of_project text, of_mode smallint, of_value text,
  of_statuses text[], of_variant smallint, of_chain bigint, since timestamptz, before timestamptz,
  after_time timestamptz, after_id text, wanted bigint)
returns setof payments language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query execute 'select payment.* from ' || payments_with_value_from(of_column) || '
      and created_at <= $9 and (created_at < $9 or id < $10)
    order by created_at desc, id desc limit $11'
    using of_project, of_mode, of_value, of_statuses, of_variant, of_chain, since, before, after_time, after_id, wanted;
end $$;

-- Their number, up to a bound.
create function count_payments_with_value(of_column text, of_project text, of_mode smallint, of_value text,
  of_statuses text[], of_variant smallint, of_chain bigint, since timestamptz, before timestamptz, bound bigint)
returns bigint language plpgsql stable set enable_bitmapscan = off as $$
declare
  counted bigint;
begin
  execute 'select count(*) from (select from ' || payments_with_value_from(of_column) || ' limit $9) bounded'
    into counted
    using of_project, of_mode, of_value, of_statuses, of_variant, of_chain, since, before, bound;
  return counted;
end $$;

-- The number of payments of some kinds in each second at the newer or the older end of a period. It begins with the
-- part of the period that probably has as many as wanted, between the first and the last of these payments, and
-- grows.
create function count_payments_by_second(of_project text, of_mode smallint, of_variants smallint[], of_statuses text[],
  of_chains bigint[], period_from timestamptz, period_before timestamptz, payments_in_it numeric, from_newest boolean,
  wanted numeric)
returns table (since timestamptz, payments bigint) language plpgsql stable
set enable_bitmapscan = off set enable_sort = off as $$
declare
  share double precision := 1.25 * wanted / payments_in_it;
  oldest timestamptz;
  newest timestamptz;
  length interval;
  seconds timestamptz[];
  counts bigint[];
begin
  select min(first.created_at), max(last.created_at) into oldest, newest
    from unnest(of_variants, of_statuses, of_chains) as kind (variant, status, chain_id)
    cross join lateral (
      select created_at from payments payment
      where payment_kind_key(project_id, mode, variant, status, chain_id)
          = payment_kind_key(of_project, of_mode, kind.variant, kind.status, kind.chain_id)
        and project_id = of_project and mode = of_mode and payment.variant = kind.variant
        and payment.status = kind.status and payment.chain_id = kind.chain_id and created_at >= period_from and created_at < period_before
      order by created_at limit 1
    ) first cross join lateral (
      select created_at from payments payment
      where payment_kind_key(project_id, mode, variant, status, chain_id)
          = payment_kind_key(of_project, of_mode, kind.variant, kind.status, kind.chain_id)
        and project_id = of_project and mode = of_mode and payment.variant = kind.variant
        and payment.status = kind.status and payment.chain_id = kind.chain_id and created_at >= period_from and created_at < period_before
      order by created_at desc limit 1
    ) last;
  loop
    length := date_trunc('second', (newest - oldest) * least(share, 1)) + interval '1 second';
    select array_agg(counted.second), array_agg(counted.n) into seconds, counts
      from (
        select of_second.second, sum(of_second.n)::bigint as n
        from unnest(of_variants, of_statuses, of_chains) as kind (variant, status, chain_id) cross join lateral (
          select date_bin('1 second', in_order.created_at, 'epoch') as second, count(*) as n from (
            select created_at from payments payment
            where payment_kind_key(project_id, mode, variant, status, chain_id)
                = payment_kind_key(of_project, of_mode, kind.variant, kind.status, kind.chain_id)
              and project_id = of_project and mode = of_mode and payment.variant = kind.variant
              and payment.status = kind.status and payment.chain_id = kind.chain_id
              and created_at >= case when from_newest
                then greatest(period_from, date_trunc('second', newest) + interval '1 second' - length)
                else period_from end
              and created_at < case when from_newest then period_before
                else least(period_before, date_trunc('second', oldest) + interval '1 second' + length) end
            order by created_at
          ) in_order
          group by 1
        ) of_second
        group by 1
      ) counted;
    exit when share >= 1 or (select coalesce(sum(n), 0) >= wanted from unnest(counts) as n);
    share := share * 4;
  end loop;
  return query select * from unnest(seconds, counts);
end $$;
