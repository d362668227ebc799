-- Finds the number above the highest nonce of a wallet's intents.
-- @param $1:chainId
-- @param $2:source
select coalesce(max(nonce), -1) + 1 as "used!" from intents where chain_id = $1 and source = $2
