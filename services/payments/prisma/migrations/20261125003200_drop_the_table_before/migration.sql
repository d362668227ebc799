-- The old tables are empty or copied; what is left of the views reads the parts alone.
set local lock_timeout = '5s';

do $$
begin
  if exists (select from payments_before) then
    raise exception 'payments are left in payments_before';
  end if;
end $$;

create or replace view payments as
  select id, project_id, mode, variant, status, amount, base_amount, decimals, payment_spelled(currency) as currency, chain_id,
    payment_spelled(recipient_address) as recipient_address,
    description, metadata_json, qr_mode, order_id, customer_id, secret_version, expires_at, created_at, confirmed_at,
    refunded_at, refund_declared, payment_hex(tx_hash) as tx_hash, block_number,
    payment_hex(payer_address) as payer_address, payment_hex(sender_address) as sender_address,
    received_base_amount, failure_code, attempts, version, other_hashes, merchant_submitted, payer_declared_at
  from payment_records;

create or replace view payment_timeline as
  select nth as id, record.id as payment_id, step.event, step.status, step.happened_at::timestamptz(3), step.reason,
    payment_hex(nullif(coalesce(step.tx_hash, record.tx_hash), '')) as tx_hash
  from payment_records record cross join lateral payment_steps(record.steps) step;

create or replace function payments_move_over(ids text[]) returns void language plpgsql as $$ begin end $$;

drop table payment_timeline_before;
drop table payments_before;
