-- Takes nonces of a wallet; no row changes where another process has taken some, or the wallet is frozen.
-- @param $1:chainId
-- @param $2:address
-- @param $3:before?
-- @param $4:next
update signers set next_nonce = $4
where chain_id = $1 and address = $2 and next_nonce is not distinct from $3 and frozen_at is null
