-- Removes the payout wallets of projects.
-- @param $1:projectIds
delete from own_wallets where project_id = any($1) and is_payout
