-- A payment keeps every hash that was submitted for it, so that a proof of any of them confirms it and the refutation of
-- one does not fail it. Rows from before know their present hash only; the timeline has the others. The checks need not
-- look at those rows: a new column breaches nothing, and a longer list of events allows all that the old one did.
alter table payments
  add column other_hashes       jsonb,
  add column merchant_submitted boolean not null default false,
  add column payer_declared_at  timestamptz(3),
  add constraint payments_hashes_bounded check (other_hashes is null
    or (jsonb_typeof(other_hashes) = 'array' and jsonb_array_length(other_hashes) between 1 and 5)) not valid;

alter table payment_timeline drop constraint payment_timeline_event_known;
alter table payment_timeline add constraint payment_timeline_event_known check (event in ('transaction_submitted',
  'transaction_refuted', 'confirmed', 'failed', 'expired', 'paid_late', 'surplus_received', 'refunded_in_part',
  'refunded', 'surplus_refunded')) not valid;

-- Steps that leave the status as it is: money that came on top, a hash that was refuted beside another, and refunds. Those
-- about another hash than the payment's own name that hash: it is the one that has a verdict now.
create or replace function payment_timeline_add() returns trigger language plpgsql as $$
begin
  insert into payment_timeline (payment_id, event, status, happened_at, reason, tx_hash)
  select added.id,
    case
      when added.attempts > removed.attempts then 'transaction_submitted'
      when added.status = removed.status and added.status = 'processing' then 'transaction_refuted'
      when added.status = removed.status
        and added.received_base_amount is distinct from removed.received_base_amount then 'surplus_received'
      when added.status = removed.status and added.status = 'refunded' then 'surplus_refunded'
      when added.status = removed.status then 'refunded_in_part'
      when added.status = 'expired' and added.failure_code = 'late' then 'paid_late'
      else added.status
    end,
    added.status,
    coalesce(
      case when added.confirmed_at is distinct from removed.confirmed_at then added.confirmed_at end,
      case when added.refunded_at is distinct from removed.refunded_at then added.refunded_at end,
      clock_timestamp()),
    case when added.status = removed.status and added.status = 'processing' then judged.reason
      else added.failure_code end,
    case when added.status = removed.status and added.attempts = removed.attempts
      then coalesce(judged.hash, added.tx_hash) else added.tx_hash end
  from added join removed on removed.id = added.id
  left join lateral (
    select entry ->> 'hash' as hash, entry ->> 'verdict' as reason
    from jsonb_array_elements(added.other_hashes) as entry
    where entry ->> 'verdict' is not null and added.attempts = removed.attempts
      and not coalesce(removed.other_hashes, '[]') @> jsonb_build_array(entry)
    limit 1
  ) judged on true
  where added.version > removed.version;
  return null;
end $$;
