-- Stores wallets of merchants.
-- @param {Json} $1:wallets
insert into own_wallets (project_id, address, is_payout)
select distinct project_id, address, is_payout
from json_to_recordset($1) as input (project_id text, address text, is_payout boolean)
order by project_id, address, is_payout
on conflict do nothing
