-- The entry of an address. The lock keeps it in the address book until the transaction ends.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:address
select destination.* from settlement_destinations destination
where project_id = $1 and mode = $2 and chain_id = $3 and lower(address) = lower($4)
for key share;
