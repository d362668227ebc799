-- Stores the wallets of a merchant.
-- @param {Json} $1:wallets
insert into own_wallets (project_id, address)
select distinct project_id, address from json_to_recordset($1) as input (project_id text, address text)
order by project_id, address
on conflict do nothing
