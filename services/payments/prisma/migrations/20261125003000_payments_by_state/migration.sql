-- Payments in three parts by status, so that a row that still changes lies in a small part, and the large part gets each row
-- once. Hashes, wallets and addresses are bytes, and the timeline of a payment is a column of it. The code of the version
-- before works on views of the same names, until the next release drops them.
set local lock_timeout = '5s';

-- What indexes hold: a number from the tenant and a value takes a quarter of their bytes. Values whose numbers are equal by
-- chance are told apart by the columns themselves, so each query compares both.
create function payment_key(project_id text, mode smallint, value text) returns bigint
  language sql immutable parallel safe
  return hashtextextended(value, hashtextextended(project_id, mode));

-- The same for all payments of one kind, which a list reads in the order of their time.
create function payment_kind_key(project_id text, mode smallint, variant smallint, status text, chain_id bigint)
  returns bigint language sql immutable parallel safe
  return hashtextextended(status, hashint8extended(chain_id, hashtextextended(project_id, mode * 4 + variant)));

-- The steps of a payment are lines of text. A line has a character for the event, one for the status after it and the
-- milliseconds since 1970; where they are known, a tab and the reason, and another tab and the hash in hexadecimal digits.
-- Without a hash the step is about the payment's own tx_hash; an empty hash is none.
create function payment_step_codes(out events text[], out event_codes text, out statuses text[], out status_codes text)
  language sql immutable parallel safe as $$
  select
    array['transaction_submitted', 'transaction_refuted', 'confirmed', 'failed', 'expired', 'paid_late',
      'surplus_received', 'refunded_in_part', 'refunded', 'surplus_refunded', 'transaction_reorged',
      'payer_declared', 'late_accepted', 'late_rejected'], 'trcfelspRSodaj',
    array['created', 'pending', 'processing', 'confirmed', 'failed', 'expired', 'refunded'], 'wnpcfeR'
$$;

create function payment_step(event text, status text, happened_at timestamptz, reason text, tx_hash bytea)
returns text language plpgsql stable as $$
declare
  codes constant record := payment_step_codes();
  line text := substr(codes.event_codes, array_position(codes.events, event), 1)
    || substr(codes.status_codes, array_position(codes.statuses, status), 1)
    || round(extract(epoch from happened_at) * 1000);
begin
  if line is null then
    raise exception 'a step needs a known event and status and a time: %, %, %', event, status, happened_at;
  end if;
  if reason is null and tx_hash is null then
    return line;
  end if;
  line := line || e'\t' || translate(coalesce(reason, ''), e'\t\n', '  ');
  return case when tx_hash is null then line else line || e'\t' || encode(tx_hash, 'hex') end;
end $$;

-- The steps of a payment, oldest first.
create function payment_steps(steps text)
returns table (event text, status text, happened_at timestamptz, reason text, tx_hash bytea, nth bigint)
language sql stable rows 3 as $$
  select events[strpos(event_codes, left(line, 1))], statuses[strpos(status_codes, substr(line, 2, 1))],
    to_timestamp(substr(split_part(line, e'\t', 1), 3)::numeric / 1000), nullif(split_part(line, e'\t', 2), ''),
    decode((string_to_array(line, e'\t'))[3], 'hex'), nth
  from string_to_table(steps, e'\n') with ordinality as lines (line, nth), payment_step_codes()
$$;

-- Of more than 100 steps the latest are kept.
create function payment_steps_with(steps text, step text) returns text language sql immutable parallel safe
  return case when steps is null then step when octet_length(steps) < 1500 then steps || e'\n' || step else (
    select string_agg(line, e'\n' order by nth) || e'\n'
    from string_to_table(steps, e'\n') with ordinality as lines (line, nth)
    where nth > length(steps) - length(replace(steps, e'\n', '')) - 98) || step end;

-- Columns of a fixed length come first, because they need no padding then.
create table payment_records (
  created_at           timestamptz(3) not null,
  expires_at           timestamptz(3) not null,
  chain_id             bigint not null,
  confirmed_at         timestamptz(3),
  refunded_at          timestamptz(3),
  payer_declared_at    timestamptz(3),
  block_number         bigint,
  version              integer not null default 1,
  mode                 smallint not null,
  variant              smallint not null,
  decimals             smallint not null,
  secret_version       smallint not null,
  attempts             smallint not null default 0,
  qr_mode              boolean not null,
  refund_declared      boolean not null default false,
  merchant_submitted   boolean not null default false,
  id                   text not null,
  project_id           text not null,
  status               text not null,
  amount               text not null,
  base_amount          numeric(78, 0) not null,
  -- As the merchant wrote them, see payment_spelled.
  currency             bytea not null,
  recipient_address    bytea not null,
  description          text,
  metadata_json        text,
  order_id             text,
  customer_id          text,
  tx_hash              bytea,
  payer_address        bytea,
  sender_address       bytea,
  received_base_amount numeric(78, 0),
  failure_code         text,
  other_hashes         jsonb,
  steps                text,

  constraint payment_records_pkey primary key (project_id, id, status),
  constraint payments_mode_known check (mode in (1, 2)),
  constraint payments_variant_known check (variant in (1, 2)),
  constraint payments_amount_positive check (base_amount > 0),
  constraint payments_attempts_bounded check (attempts between 0 and 5),
  constraint payments_hash_has_32_bytes check (octet_length(tx_hash) = 32),
  constraint payments_wallets_have_20_bytes
    check (octet_length(payer_address) = 20 and (sender_address is null or sender_address = payer_address)),
  constraint payments_proven_has_proof check (status not in ('confirmed', 'refunded')
    or (confirmed_at is not null and tx_hash is not null and block_number is not null)),
  constraint payments_hashes_bounded check (other_hashes is null
    or (jsonb_typeof(other_hashes) = 'array' and jsonb_array_length(other_hashes) between 1 and 5)),
  constraint payments_steps_bounded check (octet_length(steps) <= 20000)
) partition by list (status);

-- A status that no part takes is refused. The two small parts are vacuumed early, because every row leaves them soon.
create table payments_awaiting partition of payment_records for values in ('created', 'pending')
  with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05);
create table payments_processing partition of payment_records for values in ('processing')
  with (autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_scale_factor = 0.05);
create table payments_closed partition of payment_records
  for values in ('confirmed', 'failed', 'expired', 'refunded');

-- Times ascend in every index, because then a page that is split stays full. The id, which breaks ties, is not in the indexes
-- of lists: few payments have one time, so those are sorted when read. Prisma's schema cannot express these indexes.
create index payments_by_kind
  on payment_records (payment_kind_key(project_id, mode, variant, status, chain_id), created_at);
-- A client secret names its payment by the id alone.
create index payment_records_id_idx on payment_records (id);
create index payments_by_order on payment_records (payment_key(project_id, mode, order_id), created_at)
  where order_id is not null;
create index payments_by_customer on payment_records (payment_key(project_id, mode, customer_id), created_at)
  where customer_id is not null;
create index payments_by_payer on payment_records (payment_key(project_id, mode, encode(payer_address, 'hex')))
  where payer_address is not null;
create index payments_by_hash on payment_records (payment_key(project_id, mode, encode(tx_hash, 'hex')))
  where tx_hash is not null;
create index payments_awaiting_expiry on payments_awaiting (expires_at);
create index payments_processing_expiry on payments_processing (expires_at);

-- Payments of one kind in a period, newest first, after a place in the list. Always from the index in its order: with the
-- average of all kinds in mind the planner would sort a whole kind, which may be most of the table.
create function payments_of_kind(of_project text, of_mode smallint, of_variant smallint, of_status text, of_chain bigint,
  since timestamptz, before timestamptz, after_time timestamptz, after_id text, wanted bigint)
returns setof payment_records language plpgsql stable set enable_bitmapscan = off set enable_sort = off as $$
begin
  return query select * from payment_records
    where payment_kind_key(project_id, mode, variant, status, chain_id)
        = payment_kind_key(of_project, of_mode, of_variant, of_status, of_chain)
      and project_id = of_project and mode = of_mode and variant = of_variant and status = of_status
      and chain_id = of_chain and created_at >= since and created_at < before and created_at <= after_time
      and (created_at < after_time or id < after_id)
    order by created_at desc, id desc limit wanted;
end $$;

-- Only hours are written, in shards from 8 on: a job folds them into one row per hour and adds them to their day.
-- A deletion subtracts with the same function.
create or replace function payment_totals_add() returns trigger language plpgsql as $$
declare
  sign constant integer := case tg_op when 'DELETE' then -1 else 1 end;
begin
  insert into payment_totals as t (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, pg_backend_pid() % 32, sign * count(*)
  from added group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, variant, status, chain_id, shard)
  do update set payments = t.payments + excluded.payments;

  insert into payment_spans as s
    (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, 'hour', date_trunc('hour', created_at, 'UTC'), variant, status, chain_id,
    8 + pg_backend_pid() % 4, sign * count(*)
  from added
  group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = s.payments + excluded.payments;
  return null;
end $$;

create or replace function payment_totals_move() returns trigger language plpgsql as $$
begin
  insert into payment_totals as t (project_id, mode, variant, status, chain_id, shard, payments)
  select project_id, mode, variant, status, chain_id, pg_backend_pid() % 32, sum(n)
  from (
    select project_id, mode, variant, status, chain_id, 1 as n from added
    union all
    select project_id, mode, variant, status, chain_id, -1 from removed
  ) moves
  group by 1, 2, 3, 4, 5 having sum(n) <> 0 order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, variant, status, chain_id, shard)
  do update set payments = t.payments + excluded.payments;

  insert into payment_spans as s
    (project_id, mode, grain, since, variant, status, chain_id, shard, payments)
  select project_id, mode, 'hour', date_trunc('hour', created_at, 'UTC'), variant, status, chain_id,
    8 + pg_backend_pid() % 4, sum(n)
  from (
    select project_id, mode, variant, status, chain_id, created_at, 1 as n from added
    union all
    select project_id, mode, variant, status, chain_id, created_at, -1 from removed
  ) moves
  group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0 order by 1, 2, 3, 4, 5, 6, 7
  on conflict (project_id, mode, grain, since, variant, status, chain_id, shard)
  do update set payments = s.payments + excluded.payments;
  return null;
end $$;

-- The code of this version finds its payments in the parts only after the next migration has moved them.
alter table payments rename to payments_before;
alter table payment_timeline rename to payment_timeline_before;
alter table payment_timeline_before drop constraint payment_timeline_payment_id_fkey;
drop trigger payments_added on payments_before;
drop trigger payments_moved on payments_before;
drop trigger payments_told on payments_before;

create trigger payments_added after insert on payment_records
  referencing new table as added for each statement execute function payment_totals_add();
create trigger payments_removed after delete on payment_records
  referencing old table as added for each statement execute function payment_totals_add();
create trigger payments_moved after update on payment_records
  referencing new table as added old table as removed
  for each statement execute function payment_totals_move();

-- Part of the very statement that moves a payment, whichever statement and whichever version of the program it is.
create function payment_steps_add() returns trigger language plpgsql as $$
declare
  judged record;
begin
  if new.version <= old.version then
    return new;
  end if;
  if new.tx_hash is distinct from old.tx_hash and new.steps is not null then
    new.steps := (
      select string_agg(payment_step(event, status, happened_at, reason, coalesce(tx_hash, old.tx_hash, '')), e'\n' order by nth)
      from payment_steps(new.steps));
  end if;
  -- A move that leaves the status as it is may be about another hash than the payment's own: the one with a new verdict.
  select decode(substr(entry ->> 'hash', 3), 'hex') as hash, entry ->> 'verdict' as reason into judged
    from jsonb_array_elements(new.other_hashes) as entry
    where new.status = old.status and new.attempts = old.attempts and entry ->> 'verdict' is not null
      and not coalesce(old.other_hashes, '[]') @> jsonb_build_array(entry)
    limit 1;
  new.steps := payment_steps_with(new.steps, payment_step(
    case
      when new.attempts > old.attempts then 'transaction_submitted'
      when new.status = old.status and new.status = 'processing' then 'transaction_refuted'
      when new.status = old.status
        and new.received_base_amount is distinct from old.received_base_amount then 'surplus_received'
      when new.status = old.status and new.status = 'refunded' then 'surplus_refunded'
      when new.status = old.status then 'refunded_in_part'
      when new.status = 'expired' and new.failure_code = 'late' then 'paid_late'
      else new.status
    end,
    new.status,
    coalesce(
      case when new.confirmed_at is distinct from old.confirmed_at then new.confirmed_at end,
      case when new.refunded_at is distinct from old.refunded_at then new.refunded_at end,
      clock_timestamp()),
    case when new.status = old.status and new.status = 'processing' then judged.reason
      else new.failure_code end,
    judged.hash));
  return new;
end $$;

create trigger payments_step before update on payment_records
  for each row execute function payment_steps_add();

create function payment_bytes(hex text) returns bytea language sql immutable
  return decode(substr(nullif(hex, ''), 3), 'hex');

create function payment_hex(bytes bytea) returns text language sql immutable
  return '0x' || encode(bytes, 'hex');

-- An address as it was written: 20 bytes, and where it has capitals 5 more with a bit for each of them. Other text,
-- e.g. native, is its own bytes.
create function payment_spelled(bytes bytea) returns text language sql immutable
  return case
    when octet_length(bytes) = 20 then payment_hex(bytes)
    when octet_length(bytes) = 25 then '0x' || (
      select string_agg(case get_bit(bytes, 160 + nth::bigint - 1) when 1 then upper(digit) else digit end, '' order by nth)
      from string_to_table(encode(substr(bytes, 1, 20), 'hex'), null) with ordinality as digits (digit, nth))
    else convert_from(bytes, 'UTF8') end;

create function payment_spelling(spelled text) returns bytea language plpgsql immutable as $$
declare
  capitals bytea := '\x0000000000';
begin
  if spelled !~ '^0x[0-9a-fA-F]{40}$' then
    return convert_to(spelled, 'UTF8');
  end if;
  for nth in 1..40 loop
    if substr(spelled, nth + 2, 1) between 'A' and 'F' collate "C" then
      capitals := set_bit(capitals, nth - 1, 1);
    end if;
  end loop;
  return payment_bytes(lower(spelled)) || case when bit_count(capitals) > 0 then capitals else '' end;
end $$;

-- Moves payments of the old table into the part of their status. They go into the parts themselves and not into the table
-- over them, so its triggers do not count them a second time.
create function payments_move_over(ids text[]) returns void language plpgsql as $$
begin
  with gone as (
    delete from payments_before where id = any (ids) returning *
  ), shaped as (
    select created_at, expires_at, chain_id, confirmed_at, refunded_at, payer_declared_at, block_number, version,
      mode, variant, decimals, secret_version, attempts, qr_mode, refund_declared, merchant_submitted,
      id, project_id, status, amount, base_amount, payment_spelling(currency) as currency,
      payment_spelling(recipient_address) as recipient_address, description, metadata_json,
      order_id, customer_id, payment_bytes(tx_hash) as tx_hash,
      payment_bytes(coalesce(nullif(sender_address, ''), payer_address)) as payer_address,
      payment_bytes(sender_address) as sender_address, received_base_amount, failure_code, other_hashes,
      (
        select string_agg(payment_step(step.event, step.status, step.happened_at, step.reason, case
            when step.tx_hash is null and gone.tx_hash is not null then ''
            when step.tx_hash is distinct from gone.tx_hash then payment_bytes(step.tx_hash) end), e'\n' order by step.id)
        from (
          select * from payment_timeline_before
          where payment_timeline_before.payment_id = gone.id order by payment_timeline_before.id desc limit 100
        ) step
      ) as steps
    from gone
  ), awaiting as (
    insert into payments_awaiting select * from shaped where status in ('created', 'pending')
  ), processing as (
    insert into payments_processing select * from shaped where status = 'processing'
  )
  insert into payments_closed select * from shaped where status not in ('created', 'pending', 'processing');
end $$;

-- What the version before reads and writes while it is replaced. A payment of the old table moves over before it changes.
create view payments as
  select id, project_id, mode, variant, status, amount, base_amount, decimals, payment_spelled(currency) as currency, chain_id,
    payment_spelled(recipient_address) as recipient_address,
    description, metadata_json, qr_mode, order_id, customer_id, secret_version, expires_at, created_at, confirmed_at,
    refunded_at, refund_declared, payment_hex(tx_hash) as tx_hash, block_number,
    payment_hex(payer_address) as payer_address, payment_hex(sender_address) as sender_address,
    received_base_amount, failure_code, attempts, version, other_hashes, merchant_submitted, payer_declared_at
  from payment_records
  union all
  select id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id, recipient_address,
    description, metadata_json, qr_mode, order_id, customer_id, secret_version, expires_at, created_at, confirmed_at,
    refunded_at, refund_declared, tx_hash, block_number, payer_address, sender_address, received_base_amount,
    failure_code, attempts, version, other_hashes, merchant_submitted, payer_declared_at
  from payments_before;
alter view payments alter column refund_declared set default false;
alter view payments alter column merchant_submitted set default false;
alter view payments alter column attempts set default 0;
alter view payments alter column version set default 1;

create function payments_view_write() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into payment_records (id, project_id, mode, variant, status, amount, base_amount, decimals, currency, chain_id,
      recipient_address, description, metadata_json, qr_mode, order_id, customer_id, secret_version, expires_at,
      created_at, confirmed_at, refunded_at, refund_declared, tx_hash, block_number, payer_address, sender_address,
      received_base_amount, failure_code, attempts, version, other_hashes, merchant_submitted, payer_declared_at)
    values (new.id, new.project_id, new.mode, new.variant, new.status, new.amount, new.base_amount, new.decimals,
      payment_spelling(new.currency), new.chain_id, payment_spelling(new.recipient_address), new.description, new.metadata_json, new.qr_mode, new.order_id,
      new.customer_id, new.secret_version, new.expires_at, new.created_at, new.confirmed_at, new.refunded_at,
      new.refund_declared, payment_bytes(new.tx_hash), new.block_number,
      payment_bytes(coalesce(nullif(new.sender_address, ''), new.payer_address)), payment_bytes(new.sender_address),
      new.received_base_amount, new.failure_code, new.attempts, new.version, new.other_hashes, new.merchant_submitted,
      new.payer_declared_at);
    return new;
  end if;
  perform payments_move_over(array[old.id]);
  update payment_records set created_at = new.created_at, expires_at = new.expires_at, status = new.status,
    secret_version = new.secret_version, confirmed_at = new.confirmed_at, refunded_at = new.refunded_at,
    refund_declared = new.refund_declared, tx_hash = payment_bytes(new.tx_hash), block_number = new.block_number,
    payer_address = payment_bytes(coalesce(nullif(new.sender_address, ''), new.payer_address)),
    sender_address = payment_bytes(new.sender_address), received_base_amount = new.received_base_amount,
    failure_code = new.failure_code, attempts = new.attempts, version = new.version, other_hashes = new.other_hashes,
    merchant_submitted = new.merchant_submitted, payer_declared_at = new.payer_declared_at
  where project_id = old.project_id and id = old.id and version = old.version;
  -- The writer that lost the race has changed nothing.
  return case when found then new end;
end $$;
create trigger payments_view_write instead of insert or update on payments
  for each row execute function payments_view_write();

create view payment_timeline as
  select nth as id, record.id as payment_id, step.event, step.status, step.happened_at::timestamptz(3), step.reason,
    payment_hex(nullif(coalesce(step.tx_hash, record.tx_hash), '')) as tx_hash
  from payment_records record cross join lateral payment_steps(record.steps) step
  union all
  select id, payment_id, event, status, happened_at, reason, tx_hash from payment_timeline_before step
  where exists (select from payments_before where payments_before.id = step.payment_id);

create function payment_timeline_view_write() returns trigger language plpgsql as $$
begin
  perform payments_move_over(array[new.payment_id]);
  update payment_records set steps = payment_steps_with(steps,
    payment_step(new.event, new.status, new.happened_at, new.reason, payment_bytes(new.tx_hash)))
  where id = new.payment_id;
  return new;
end $$;
create trigger payment_timeline_view_write instead of insert on payment_timeline
  for each row execute function payment_timeline_view_write();
