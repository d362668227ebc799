-- A hash that is named while it is judged already, by the merchant or by the chain, is a step of its own and no refutation. What
-- the chain shows is kept beside all that was submitted: it costs who sends it the payment's amount each time.
set local lock_timeout = '5s';

create or replace function payment_steps_add() returns trigger language plpgsql as $$
declare
  judged record;
begin
  if new.version <= old.version then
    return new;
  end if;
  -- What is needed is said by the status, and is no step.
  if new.status = old.status and new.needs_turn is distinct from old.needs_turn then
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
  -- Of two hashes under judgement the one in a block is the payment's own; both were named before.
  if new.status = old.status and new.status = 'processing' and new.attempts = old.attempts and judged.hash is null
      and new.tx_hash is distinct from old.tx_hash and new.block_number is not null then
    return new;
  end if;
  if new.status = old.status and new.status <> 'processing' and new.received_base_amount < old.received_base_amount then
    select decode(substr(entry ->> 'hash', 3), 'hex') as hash, null as reason into judged
      from jsonb_array_elements(old.other_hashes) as entry
      where entry ->> 'verdict' = 'surplus' and new.other_hashes @> jsonb_build_array(entry || '{"verdict": null}')
      limit 1;
  end if;
  new.steps := payment_steps_with(new.steps, payment_step(
    case
      when old.status = 'confirmed' and new.status = 'processing' then 'transaction_reorged'
      when new.attempts > old.attempts or new.status = 'processing' and new.status <> old.status
        then 'transaction_submitted'
      when new.late_decision is distinct from old.late_decision then 'late_' || new.late_decision
      when new.status = old.status and new.extensions is distinct from old.extensions then 'extended'
      when new.status = old.status
        and new.payer_declared_at is distinct from old.payer_declared_at then 'payer_declared'
      when new.status = old.status and new.status = 'processing' and judged.hash is not null then 'transaction_refuted'
      when new.status = old.status and new.status = 'processing' then 'transaction_submitted'
      when new.status = old.status and new.received_base_amount < old.received_base_amount then 'transaction_reorged'
      when new.status = old.status
        and new.received_base_amount is distinct from old.received_base_amount then 'surplus_received'
      when new.status = old.status and new.status = 'refunded' then 'surplus_refunded'
      when new.status = old.status then 'refunded_in_part'
      when new.status = 'expired' and new.failure_code = 'late' then 'paid_late'
      else new.status
    end,
    new.status,
    coalesce(
      case when new.reorged_at is distinct from old.reorged_at then new.reorged_at end,
      case when new.confirmed_at is distinct from old.confirmed_at then new.confirmed_at end,
      case when new.refunded_at is distinct from old.refunded_at then new.refunded_at end,
      clock_timestamp()),
    case when new.status = old.status and new.status = 'processing' then judged.reason
      else new.failure_code end,
    judged.hash));
  return new;
end $$;

alter table payment_records drop constraint payments_hashes_bounded;
alter table payment_records add constraint payments_hashes_bounded check (other_hashes is null
  or (jsonb_typeof(other_hashes) = 'array' and jsonb_array_length(other_hashes) between 1 and 9)) not valid;
