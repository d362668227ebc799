-- Stores a move of a refund with its event, and changes the sums of the payment. The version guards the move.
-- @param {Json} $1:refunds
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, version integer, status text,
    refunded_base_amount numeric, surplus_refunded_base_amount numeric, reserved_base_amount numeric,
    paid_from text /* null */, tx_hash text /* null */, other_hashes jsonb /* null */, block_number bigint /* null */,
    failure_reason text /* null */, held_reason text /* null */, completed_at timestamptz /* null */,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), moved as (
  update refunds as refund set
    status = input.status, refunded_base_amount = input.refunded_base_amount,
    surplus_refunded_base_amount = input.surplus_refunded_base_amount,
    reserved_base_amount = input.reserved_base_amount, paid_from = input.paid_from,
    tx_hash = input.tx_hash, other_hashes = input.other_hashes, block_number = input.block_number,
    failure_reason = input.failure_reason, held_reason = input.held_reason, completed_at = input.completed_at,
    version = input.version
  from input
  where refund.project_id = input.project_id and refund.id = input.id and refund.mode = input.mode
    and refund.version = input.version - 1
  returning refund.project_id, refund.payment_id, refund.base_amount, refund.surplus, refund.status,
    input.event_id, input.event_type, input.topic, input.event_key, input.request_id, input.payload
), difference as (
  -- A refund that is created again was completed.
  select project_id, payment_id, surplus,
    case status when 'failed' then -base_amount else 0 end as reserved,
    case status when 'completed' then base_amount when 'created' then -base_amount else 0 end as completed
  from moved
), balance as (
  update refund_balances as balance set
    reserved = balance.reserved + difference.reserved, completed = balance.completed + difference.completed,
    surplus_reserved = surplus_reserved + case when surplus then difference.reserved else 0 end,
    surplus_completed = surplus_completed + case when surplus then difference.completed else 0 end
  from difference
  where balance.project_id = difference.project_id and balance.payment_id = difference.payment_id
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from moved;
