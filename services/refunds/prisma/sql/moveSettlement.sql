-- Stores a move of a settlement with its event. The version guards the move; triggers keep the sums of the wallet.
-- @param {Json} $1:settlements
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, version integer, status text, approved_by text /* null */,
    approved_at timestamptz /* null */, tx_hash text /* null */, other_hashes jsonb /* null */,
    block_number bigint /* null */, failure_reason text /* null */, held_reason text /* null */,
    completed_at timestamptz /* null */,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), moved as (
  update settlements as settlement set
    status = input.status, approved_by = input.approved_by, approved_at = input.approved_at, tx_hash = input.tx_hash,
    other_hashes = input.other_hashes, block_number = input.block_number, failure_reason = input.failure_reason,
    held_reason = input.held_reason, completed_at = input.completed_at, version = input.version
  from input
  where settlement.project_id = input.project_id and settlement.id = input.id and settlement.mode = input.mode
    and settlement.version = input.version - 1
  returning input.event_id, input.event_type, input.topic, input.event_key, input.request_id, input.payload
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from moved;
