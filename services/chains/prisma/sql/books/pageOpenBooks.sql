-- Wallets of a tenant in the months in which the chain is not known to say what their records do, newest first.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:before
-- @param $4:limit
with open as (
  select m.account_id, m.month from book_months m
    join book_owners o on o.project_id = $1 and o.mode = $2 and o.account_id = m.account_id
  where m.unexplained <> 0 or m.closed_block is not null and m.balance is null
  union
  select account_id, month from book_records where project_id = $1 and mode = $2 and unproven <> 0
)
select m.id as "id!" from open join book_months m using (account_id, month)
  left join book_records r on r.project_id = $1 and r.mode = $2 and r.account_id = m.account_id and r.month = m.month
where m.id < $3 and (m.unexplained <> coalesce(r.unproven, 0) or m.closed_block is not null and m.balance is null)
order by m.id desc limit $4
