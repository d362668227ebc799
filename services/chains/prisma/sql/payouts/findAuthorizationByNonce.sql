-- Finds the last authorization of a tenant with this nonce.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:token
-- @param $5:payer
-- @param $6:nonce
select subject_id, payment_id, valid_before from authorizations
where chain_id = $3 and token = $4 and payer = $5 and nonce = $6 and project_id = $1 and mode = $2
order by created_at desc limit 1
