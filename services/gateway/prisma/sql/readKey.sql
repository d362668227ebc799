-- Reads a key.
-- @param $1:id
-- @param $2:projectId
select key.* /* except digest, pepper_version */ from api_keys key
where key.id = $1 and key.project_id = $2
