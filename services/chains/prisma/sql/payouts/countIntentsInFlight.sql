-- Counts the intents of a wallet that are signed and not mined.
-- @param $1:chainId
-- @param $2:source
select count(*)::int as "count!" from intents
where chain_id = $1 and source = $2 and state = 'signed' and mined_tx_hash is null
