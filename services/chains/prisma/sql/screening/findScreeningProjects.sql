-- Finds those of the projects that screen wallets.
-- @param $1:projectIds
select project_id from screening_policies where project_id = any($1) and policy is not null
