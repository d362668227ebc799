-- Finds what says which wallets of projects are screened.
-- @param $1:projectIds
select project_id, policy from screening_policies where project_id = any($1) and policy is not null
