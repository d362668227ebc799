-- Stores a key. Without its project there is no row.
-- @param $1:id
-- @param $2:projectId
-- @param $3:type
-- @param $4:mode
-- @param $5:scopes
-- @param $6:name?
-- @param $7:digest
-- @param $8:pepperVersion
-- @param $9:prefix
-- @param $10:last4
-- @param $11:createdAt
-- @param $12:createdBy
-- @param $13:allowedAddresses
-- @param $14:expiresAt?
insert into api_keys as key
  (id, project_id, type, mode, scopes, name, digest, pepper_version, prefix, last4, created_at, created_by,
   allowed_addresses, expires_at)
select $1, id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14 from projects where id = $2
returning key.* /* except digest, pepper_version */
