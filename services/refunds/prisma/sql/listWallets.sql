-- A page of the wallets of a tenant.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:afterChainId
-- @param $4:afterCurrency
-- @param $5:afterAddress
-- @param $6:limit
select wallet.* from wallet_balances wallet
where project_id = $1 and mode = $2 and (chain_id, currency, source_address) > ($3::bigint, $4::text, $5::text)
order by chain_id, currency, source_address limit $6;
