-- Stores a refund and its event, and reserves its amount of the payment. The balance is locked by the caller.
-- @param {Json} $1:refunds
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, payment_id text, status text, amount text, base_amount numeric,
    decimals smallint, currency text, chain_id bigint, order_id text /* null */, payment_base_amount numeric,
    source_address text, destination_address text, destination_source text /* null */, requested_by text /* null */,
    needs text /* null */, payer_address text /* null */, sender_address text /* null */,
    customer_id text /* null */, reason text /* null */, surplus boolean, declared boolean,
    refunded_base_amount numeric, surplus_refunded_base_amount numeric, reserved_base_amount numeric,
    payment_confirmed_at timestamptz /* null */, created_at timestamptz, service_signed boolean,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), balance as (
  update refund_balances as balance set refunds = refunds + 1, reserved = reserved + input.base_amount,
    surplus_reserved = surplus_reserved + case when input.surplus then input.base_amount else 0 end
  from input where balance.project_id = input.project_id and balance.payment_id = input.payment_id
), created as (
  insert into refunds (
    id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id, order_id,
    payment_base_amount, source_address, destination_address, destination_source, requested_by, needs, payer_address, sender_address, customer_id, reason,
    surplus, declared, refunded_base_amount, surplus_refunded_base_amount, reserved_base_amount, payment_confirmed_at,
    created_at, service_signed
  )
  select
    id, project_id, mode, payment_id, status, amount, base_amount, decimals, currency, chain_id, order_id,
    payment_base_amount, source_address, destination_address, destination_source, requested_by, needs, payer_address, sender_address, customer_id, reason,
    surplus, declared, refunded_base_amount, surplus_refunded_base_amount, reserved_base_amount, payment_confirmed_at,
    created_at, service_signed
  from input
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from input;
