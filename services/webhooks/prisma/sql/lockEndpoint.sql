-- Reads the signature scheme of an endpoint of a project and mode; it cannot change until the transaction ends.
-- @param $1:id
-- @param $2:projectId
-- @param $3:mode
select signature_scheme from endpoints where id = $1 and project_id = $2 and mode = $3 for update
