-- Lists the differences of a project's wallets that are open, and those that were noted within a time.
-- @param $1:projectId
-- @param $2:from
-- @param $3:to
-- @param $4:max
select d.id as "id!", d.kind as "kind!", d.subject_id, d.tx_hash, d.block_number as "block_number!",
  d.recorded as "recorded!", d.on_chain as "on_chain!", d.noted_at as "noted_at!", d.closed_at, b.chain_id as "chain_id!",
  b.wallet as "wallet!", coalesce(k.symbol, c.symbol) as "symbol!", coalesce(k.decimals, c.native_decimals)::int as "decimals!"
from book_differences d join book_accounts b on b.id = d.account_id join chains c using (chain_id)
  left join tokens k on k.chain_id = b.chain_id and k.address = b.currency
where (d.project_id = $1 or d.project_id is null and (b.chain_id, b.wallet) in (
    select chain_id, coalesce(nullif(sender, ''), recipient) from known_recipients where project_id = $1))
  and (d.closed_at is null or d.noted_at >= $2 and d.noted_at < $3)
order by d.id limit $4
