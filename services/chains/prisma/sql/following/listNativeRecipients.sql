-- Lists a page of the recipients of native coin on a chain, each once, with the least amount of a hundred of its open
-- payments; null where none is open.
-- @param $1:chainId
-- @param $2:after
-- @param $3:now
-- @param $4:max
with recursive found as (
  (select coalesce(pay_to, recipient) as recipient from watches
    where chain_id = $1 and is_followed and currency = 'native' and coalesce(pay_to, recipient) > $2
    order by coalesce(pay_to, recipient) limit 1)
  union all
  select next.recipient from found cross join lateral (
    select coalesce(w.pay_to, w.recipient) as recipient from watches w
    where w.chain_id = $1 and w.is_followed and w.currency = 'native'
      and coalesce(w.pay_to, w.recipient) > found.recipient
    order by coalesce(w.pay_to, w.recipient) limit 1) next
)
select page.recipient as "recipient!", (
    select min(o.base_amount) from (
      select w.base_amount from watches w
      where w.chain_id = $1 and w.is_followed and w.currency = 'native' and coalesce(w.pay_to, w.recipient) = page.recipient
        and w.ends_at >= $3
      order by w.ends_at desc limit 100) o) as "least?"
from (select recipient from found limit $4) page
