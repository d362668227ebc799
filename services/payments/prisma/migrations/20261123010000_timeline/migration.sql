-- What became of each payment, besides its creation, which the payment itself tells.
create table payment_timeline (
  id          bigserial not null,
  payment_id  text not null,
  event       text not null,
  status      text not null,
  happened_at timestamptz(3) not null,
  reason      text,
  tx_hash     text,

  constraint payment_timeline_pkey primary key (id),
  constraint payment_timeline_payment_id_fkey foreign key (payment_id) references payments (id)
    on delete cascade on update restrict,
  constraint payment_timeline_event_known check (event in ('transaction_submitted', 'confirmed', 'failed', 'expired',
    'paid_late', 'refunded_in_part', 'refunded')),
  constraint payment_timeline_status_known check (status in
    ('created', 'pending', 'processing', 'confirmed', 'failed', 'expired', 'refunded'))
);

create index payment_timeline_payment_id_id_idx on payment_timeline (payment_id, id);

-- Part of the very statement that moves the payments, whichever statement and whichever version of the program it is.
create function payment_timeline_add() returns trigger language plpgsql as $$
begin
  insert into payment_timeline (payment_id, event, status, happened_at, reason, tx_hash)
  select added.id,
    case
      when added.attempts > removed.attempts then 'transaction_submitted'
      when added.status = removed.status then 'refunded_in_part'
      when added.status = 'expired' and added.failure_code = 'late' then 'paid_late'
      else added.status
    end,
    added.status,
    coalesce(
      case when added.confirmed_at is distinct from removed.confirmed_at then added.confirmed_at end,
      case when added.refunded_at is distinct from removed.refunded_at then added.refunded_at end,
      clock_timestamp()),
    added.failure_code,
    added.tx_hash
  from added join removed on removed.id = added.id
  where added.version > removed.version;
  return null;
end $$;

create trigger payments_told after update on payments
  referencing new table as added old table as removed
  for each statement execute function payment_timeline_add();
