-- Has what is at a deposit address of a tenant read again, and stores what nobody has seen coming.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:chainId
-- @param $4:address
-- @param $5:currencies
-- @param $6:block
-- @param $7:now
with deposit as (
  select a.address, a.project_id, a.mode, a.recipient from deposit_addresses a
  where a.address = $4 and a.project_id = $1 and a.mode = $2
), known as (
  update deposits d set next_at = $7 from deposit o where d.chain_id = $3 and d.address = o.address
)
insert into deposits (chain_id, address, currency, project_id, mode, recipient, changed_block, next_at)
select $3, o.address, c.currency, o.project_id, o.mode, o.recipient, $6, $7
from deposit o cross join unnest($5::text[]) as c (currency)
order by c.currency
on conflict (chain_id, address, currency) do nothing
