-- Moves the payments that are still at the version before, with their step and their event, and returns their ids.
-- @param {Json} $1:moves A payment at most once.
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, id text, version integer, status text, expires_at timestamptz, confirmed_at timestamptz /* null */,
    refunded_at timestamptz /* null */, refund_declared boolean, reorged_at timestamptz /* null */,
    tx_hash bytea /* null */, block_number bigint /* null */, payer_address bytea /* null */,
    sender_address bytea /* null */, seen_sender bytea /* null */, received_base_amount numeric /* null */,
    failure_code text /* null */, late_decision text /* null */, other_hashes jsonb /* null */,
    merchant_submitted boolean, payer_declared_at timestamptz /* null */, payer_signed_at timestamptz /* null */,
    attempts smallint, extensions smallint /* null */, needs text /* null */, needs_hash bytea /* null */,
    needs_turn integer /* null */, step text /* null */,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), moved as (
  update payments payment set
    version = input.version, status = input.status, expires_at = input.expires_at, confirmed_at = input.confirmed_at,
    refunded_at = input.refunded_at, refund_declared = input.refund_declared, reorged_at = input.reorged_at,
    tx_hash = input.tx_hash, block_number = input.block_number, payer_address = input.payer_address,
    sender_address = input.sender_address, seen_sender = input.seen_sender,
    received_base_amount = input.received_base_amount, failure_code = input.failure_code,
    late_decision = input.late_decision, other_hashes = input.other_hashes,
    merchant_submitted = input.merchant_submitted, payer_declared_at = input.payer_declared_at,
    payer_signed_at = input.payer_signed_at, attempts = input.attempts, extensions = input.extensions,
    needs = input.needs, needs_hash = input.needs_hash, needs_turn = input.needs_turn,
    steps = append_payment_step(payment.steps, payment.tx_hash, input.tx_hash, input.step)
  from input
  where payment.project_id = input.project_id and payment.id = input.id and payment.version = input.version - 1
  returning payment.id
), events as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select event_id, event_type, topic, event_key, request_id, payload from input where id in (select id from moved)
)
select id as "id!" from moved
