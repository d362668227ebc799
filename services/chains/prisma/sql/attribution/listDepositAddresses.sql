-- Lists a page of the deposit addresses that are watched on a chain.
-- @param $1:chainId
-- @param $2:after
-- @param $3:max
select pay_to as "pay_to!", currency from watches
where chain_id = $1 and is_followed and pay_to is not null and pay_to > $2
order by pay_to limit $3
