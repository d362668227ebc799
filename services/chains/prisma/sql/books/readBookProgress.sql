-- Until when records are compared with the books, and whether a wallet of a tenant is not through a month.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:month
select (select min(compared_until) from book_cursors join chains using (chain_id) where enabled) as compared_until,
  exists (
    select from book_owners o join book_months m on m.account_id = o.account_id and m.month = $3
    where o.project_id = $1 and o.mode = $2 and m.closed_block is null
  ) as "is_unfinished!"
