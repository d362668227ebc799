-- Lists a page of the stored transfers that arrived while the payments were open and pay nothing of their tenants.
-- @param $1:chainId
-- @param {Json} $2:payments
-- @param $3:afterId
-- @param $4:max
with input as (
  select * from json_to_recordset($2) as input (
    recipient text, currency text, project_id text, mode smallint, since timestamptz, until timestamptz)
), recipients as (
  select recipient, currency, project_id, mode, min(since) as since, max(until) as until
  from input group by recipient, currency, project_id, mode
)
select distinct on (t.id) t.*
from recipients r join transfers t on t.chain_id = $1 and t.recipient = r.recipient and t.currency = r.currency
  and t.block_time >= r.since and t.block_time <= r.until
where t.status <> 'orphaned' and t.id > $3 and not exists (
  select from allocations a where a.transfer_id = t.id and a.project_id = r.project_id and a.mode = r.mode)
order by t.id limit $4
