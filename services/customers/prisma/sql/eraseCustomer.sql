-- Erases a customer, and replaces the stored responses that show it.
-- The id salts the hash, so that two erased records of one person cannot be linked. A stored response is replaced and
-- not deleted, because a creation repeated under its key would create the person again.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
-- @param $4:erasedAt
-- @param $5:responseStart The first 32 bytes of each response that shows the customer.
-- @param $6:response
with erased as (
  update customers
  set wallet_address = 'sha256:' || encode(sha256(convert_to(id || ':' || lower(wallet_address), 'UTF8')), 'hex'),
    email = null, display_name = null, metadata_json = null,
    deleted_at = $4, updated_at = $4, version = version + 1
  where id = $1 and project_id = $2 and mode = $3 and deleted_at is null
  returning id
), replaced as (
  update idempotency_keys set response = $6 from erased where substr(response, 1, 32) = $5::bytea
)
select id from erased
