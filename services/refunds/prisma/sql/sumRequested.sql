-- What a person has requested of a token since a time, without what has failed.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:requestedBy
-- @param $4:chainId
-- @param $5:currency
-- @param $6:since
select coalesce(sum(base_amount), 0) as "sum!" from refunds
where project_id = $1 and mode = $2 and created_at >= $6 and requested_by = $3 and chain_id = $4
  and lower(currency) = lower($5) and status <> 'failed';
