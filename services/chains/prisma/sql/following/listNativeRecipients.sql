-- Lists a page of the recipients of native coin on a chain, each once, and whether one of its payments is open.
-- @param $1:chainId
-- @param $2:after
-- @param $3:now
-- @param $4:max
with recursive found as (
  (select recipient, ends_at from watches
    where chain_id = $1 and is_followed and currency = 'native' and recipient > $2
    order by recipient, ends_at desc limit 1)
  union all
  select next.recipient, next.ends_at from found cross join lateral (
    select w.recipient, w.ends_at from watches w
    where w.chain_id = $1 and w.is_followed and w.currency = 'native' and w.recipient > found.recipient
    order by w.recipient, w.ends_at desc limit 1) next
)
select recipient as "recipient!", ends_at >= $3 as "is_open!" from found limit $4
