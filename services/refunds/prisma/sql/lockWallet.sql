-- A wallet under lock. Currency and address are compared in lower case.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:currency
-- @param $5:sourceAddress
select wallet.* from wallet_balances wallet
where project_id = $1 and mode = $2 and chain_id = $3 and currency = lower($4) and source_address = lower($5)
for update;
