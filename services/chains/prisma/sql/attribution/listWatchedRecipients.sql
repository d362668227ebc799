-- Lists a page of the recipients and currencies of open payments on a chain, each once for a tenant.
-- @param $1:chainId
-- @param $2:afterProjectId
-- @param $3:afterMode
-- @param $4:afterRecipient
-- @param $5:afterCurrency
-- @param $6:max
with recursive found as (
  (select project_id, mode, recipient, currency from watches
    where chain_id = $1 and is_followed and (project_id, mode, recipient, currency) > ($2, $3::smallint, $4, $5)
    order by project_id, mode, recipient, currency limit 1)
  union all
  select next.* from found cross join lateral (
    select w.project_id, w.mode, w.recipient, w.currency from watches w
    where w.chain_id = $1 and w.is_followed
      and (w.project_id, w.mode, w.recipient, w.currency) > (found.project_id, found.mode, found.recipient, found.currency)
    order by w.project_id, w.mode, w.recipient, w.currency limit 1) next
)
select project_id as "project_id!", mode as "mode!", recipient as "recipient!", currency as "currency!"
from found limit $6
