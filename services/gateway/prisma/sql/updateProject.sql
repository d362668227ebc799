-- Stores a project at its next version with its event, unless the project changed since it was read.
-- @param $1:id
-- @param $2:version
-- @param $3:name
-- @param $4:callback_url?
-- @param $5:test_callback_url?
-- @param $6:allowed_origins
-- @param $7:branding_config?
-- @param $8:payout_wallets
-- @param $9:unnamed_transfers?
-- @param $10:payment_lifetime_minutes
-- @param $11:variant?
-- @param $12:sso?
-- @param $13:sso_version
-- @param $14:updated_at
-- @param $15:wallets?
-- @param $16:reference
-- @param $17:deposit_addresses
-- @param {Json} $18:events
-- @param $19:notices?
-- @param $20:screening?
with changed as (
  update projects set version = $2, name = $3, callback_url = $4, test_callback_url = $5, allowed_origins = $6,
    branding_config = $7, payout_wallets = $8, unnamed_transfers = $9, payment_lifetime_minutes = $10, variant = $11,
    sso = $12, sso_version = $13, updated_at = $14, wallets = $15, reference = $16,
    deposit_addresses = $17, notices = $19, screening = $20
  where id = $1 and version = $2 - 1
  returning 1
)
insert into outbox (event_id, type, topic, key, request_id, payload)
select event.event_id, event.event_type, event.topic, event.event_key, event.request_id, event.payload
from changed, json_to_recordset($18) as event (
  event_id text, event_type text, topic text, event_key text, request_id text, payload bytea)
