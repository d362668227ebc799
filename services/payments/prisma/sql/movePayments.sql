-- Moves the payments that are still at the version before, with their steps and their event, and returns their ids.
-- @param {Json} $1:moves A payment at most once.
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, id text, version integer, status text, expires_at timestamptz, due_at timestamptz /* null */,
    cancelled_at timestamptz /* null */, closed_at timestamptz /* null */, confirmed_at timestamptz /* null */, refunded_at timestamptz /* null */,
    reorged_at timestamptz /* null */, payer_signed_at timestamptz /* null */, refund_declared boolean,
    extensions smallint /* null */, money_turn integer /* null */, tx_hash bytea /* null */,
    money_tx_hash bytea /* null */, block_number bigint /* null */, payer_address bytea /* null */,
    sender_address bytea /* null */, received_base_amount numeric /* null */, final_base_amount numeric /* null */,
    late_base_amount numeric /* null */, late_final_base_amount numeric /* null */,
    accepted_base_amount numeric /* null */, refunded_base_amount numeric /* null */,
    surplus_refunded_base_amount numeric /* null */, reserved_base_amount numeric /* null */,
    failure_code text /* null */, late_decision text /* null */, needs text /* null */, hashes jsonb /* null */,
    senders jsonb /* null */, arrived jsonb /* null */, screened jsonb /* null */,
    screened_base_amount numeric /* null */, step text /* null */, event_id text, event_type text,
    topic text, event_key text, request_id text, payload bytea)
), moved as (
  update payments payment set
    version = input.version, status = input.status, expires_at = input.expires_at, due_at = input.due_at,
    cancelled_at = input.cancelled_at, closed_at = input.closed_at, confirmed_at = input.confirmed_at, refunded_at = input.refunded_at,
    reorged_at = input.reorged_at, payer_signed_at = input.payer_signed_at, refund_declared = input.refund_declared,
    extensions = input.extensions, money_turn = input.money_turn, tx_hash = input.tx_hash,
    money_tx_hash = input.money_tx_hash, block_number = input.block_number, payer_address = input.payer_address,
    sender_address = input.sender_address, received_base_amount = input.received_base_amount,
    final_base_amount = input.final_base_amount, late_base_amount = input.late_base_amount,
    late_final_base_amount = input.late_final_base_amount, accepted_base_amount = input.accepted_base_amount,
    refunded_base_amount = input.refunded_base_amount,
    surplus_refunded_base_amount = input.surplus_refunded_base_amount,
    reserved_base_amount = input.reserved_base_amount, failure_code = input.failure_code,
    late_decision = input.late_decision, needs = input.needs, hashes = input.hashes, senders = input.senders,
    arrived = input.arrived, screened = input.screened, screened_base_amount = input.screened_base_amount,
    changed_xid = current_xid(), steps = append_payment_step(payment.steps, payment.tx_hash, input.tx_hash, input.step)
  from input
  where payment.project_id = input.project_id and payment.id = input.id and payment.version = input.version - 1
  returning payment.id
), events as (
  insert into outbox (event_id, type, topic, key, request_id, payload)
  select event_id, event_type, topic, event_key, request_id, payload from input where id in (select id from moved)
)
select id as "id!" from moved
