-- Finds the transactions in which a contract passed native coin on to a recipient of the service.
-- @param $1:chainId
-- @param $2:txHashes
select distinct tx_hash from transfers
where chain_id = $1 and kind = 'trace' and status <> 'orphaned' and tx_hash = any($2::text[])
