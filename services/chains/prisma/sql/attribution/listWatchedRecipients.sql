-- Lists a page of the recipients and currencies of open payments on a chain, each once.
-- @param $1:chainId
-- @param $2:afterRecipient
-- @param $3:afterCurrency
-- @param $4:max
with recursive found as (
  (select recipient, currency from watches
    where chain_id = $1 and is_followed and (recipient, currency) > ($2, $3)
    order by recipient, currency limit 1)
  union all
  select next.recipient, next.currency from found cross join lateral (
    select w.recipient, w.currency from watches w
    where w.chain_id = $1 and w.is_followed and (w.recipient, w.currency) > (found.recipient, found.currency)
    order by w.recipient, w.currency limit 1) next
)
select recipient as "recipient!", currency as "currency!" from found limit $4
