-- Stores submitted hashes of a refund and their verdicts, with the event. It changes no sum, so it needs no lock: the
-- hashes on which the change was decided guard it.
-- @param {Json} $1:refunds
-- @param $2:statuses
-- @param $3:payoutWallets
with input as (
  select * from json_to_recordset($1) as input (
    id text, project_id text, mode smallint, known_hash text /* null */, known_others jsonb /* null */,
    tx_hash text /* null */, other_hashes jsonb /* null */, held_reason text /* null */,
    event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
), changed as (
  update refunds as refund set
    tx_hash = input.tx_hash, other_hashes = input.other_hashes, held_reason = input.held_reason, payout_wallets = $3
  from input
  where refund.project_id = input.project_id and refund.id = input.id and refund.mode = input.mode
    and refund.status = any($2) and refund.tx_hash is not distinct from input.known_hash
    and refund.other_hashes is not distinct from input.known_others
  returning input.event_id, input.event_type, input.topic, input.event_key, input.request_id, input.payload
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event_id, event_type, topic, event_key, request_id, payload from changed;
