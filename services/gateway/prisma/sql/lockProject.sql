-- Locks a project until the end of the transaction: what its members and roles are stays true.
-- @param $1:projectId
select id from projects where id = $1 for no key update
