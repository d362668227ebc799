-- Finds payments by id, across tenants. The caller compares the client secret.
-- @param $1:ids
select payment.* /* except steps, changed_xid */ from payments payment where id = any($1)
