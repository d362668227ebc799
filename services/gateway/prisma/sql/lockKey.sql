-- Locks a key that is not revoked until the end of the transaction.
-- @param $1:id
-- @param $2:projectId
select key.* /* except digest, pepper_version */ from api_keys key
where key.id = $1 and key.project_id = $2 and key.revoked_at is null
for update
