-- Records when providers accepted signed transactions.
-- @param $1:chainId
-- @param $2:txHashes
-- @param $3:now
update signed_transactions set sent_at = $3 where chain_id = $1 and tx_hash = any($2::text[])
