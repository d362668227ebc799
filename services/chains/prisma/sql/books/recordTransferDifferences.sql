-- Stores the records of the window that the books do not show. Coin that a contract passed on is in the books as a trace where
-- it was recorded in time, and otherwise as coin that only the balance shows.
-- @param $1:chainId
-- @param $2:since
-- @param $3:until
with recorded as (
  -- Both wallets of a transfer may have accounts. An account does not cover transfers up to the block it was opened at.
  select b.id as account_id, b.checked_block, side.is_in, a.project_id, a.mode, a.subject_id,
    t.tx_hash, t.kind, t.ordinal, t.block_number, t.value
  from allocations a join transfers t on t.id = a.transfer_id
    cross join lateral (values (true, t.recipient), (false, t.sender)) side (is_in, wallet)
    join book_accounts b on b.chain_id = t.chain_id and b.wallet = side.wallet and b.currency = t.currency
  where a.created_at > $2 and a.created_at <= $3 and t.chain_id = $1 and t.status <> 'orphaned'
    and t.block_number > b.opened_block and t.block_time > now() - interval '30 days'
)
insert into book_differences (account_id, kind, reference, project_id, mode, subject_id, tx_hash, block_number,
  recorded, on_chain)
select r.account_id, 'transfer', concat_ws(' ', r.tx_hash, r.kind, r.ordinal, r.is_in, r.project_id, r.mode),
  r.project_id, r.mode, r.subject_id, r.tx_hash, r.block_number, r.value, coalesce(m.value, 0)
from recorded r left join book_movements m on m.account_id = r.account_id and m.tx_hash = r.tx_hash
  and m.kind = r.kind and m.ordinal = r.ordinal and m.is_in = r.is_in
where r.value <> coalesce(m.value, 0)
  and not (r.kind = 'trace' and m.value is null and exists (
    select from book_movements u where u.account_id = r.account_id and u.kind = 'unseen' and u.is_in = r.is_in
      and u.block_number >= r.block_number and u.value >= r.value))
on conflict do nothing
