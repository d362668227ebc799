-- Wallets of a tenant in months. In one that runs, the chain says what it said at the last block that was checked.
-- @param $1:projectId
-- @param $2:mode
-- @param $3:ids
select m.id as "id!", m.month as "month!", b.chain_id as "chain_id!", b.wallet as "wallet!", b.currency as "currency!",
  coalesce(k.symbol, c.symbol) as "symbol!", coalesce(k.decimals, c.native_decimals)::int as "decimals!",
  m.opening, m.watched_since, m.moved as "moved!", m.movements as "movements!", m.fees as "fees!", m.closed_block is not null as "is_closed!", coalesce(m.closed_block, b.checked_block) as "block!",
  case when m.closed_block is not null then m.balance when b.balance_block = b.checked_block then b.balance end as balance,
  coalesce(r.payments, 0) as "payments!", coalesce(r.refunds, 0) as "refunds!",
  coalesce(r.settlements, 0) as "settlements!", coalesce(r.unproven, 0) as "unproven!",
  coalesce(r.matched, 0) as "matched!", coalesce(r.matches, 0) as "matches!", coalesce(r.carried, 0) as "carried!"
from book_months m join book_accounts b on b.id = m.account_id
  join book_owners o on o.project_id = $1 and o.mode = $2 and o.account_id = b.id
  join chains c on c.chain_id = b.chain_id
  left join tokens k on k.chain_id = b.chain_id and k.address = b.currency
  left join book_records r on r.project_id = $1 and r.mode = $2 and r.account_id = b.id and r.month = m.month
where m.id = any($3::bigint[])
