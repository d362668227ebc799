-- A page of a tenant's wallets in a month, after one of them.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:month
-- @param $4:after
-- @param $5:limit
select m.id from book_owners o join book_months m on m.account_id = o.account_id and m.month = $3
where o.project_id = $1 and o.mode = $2
  and o.account_id > coalesce((select a.account_id from book_months a where a.id = $4), 0)
order by o.account_id limit $5
