-- Whether the books have not reached the block of a record of the window.
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
select exists (select from recorded where checked_block < block_number) as "found!"
