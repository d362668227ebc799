-- Counts the differences of a chain that no operator has closed.
-- @param $1:chainId
select count(*)::int as "count!" from book_differences d join book_accounts b on b.id = d.account_id
where d.closed_at is null and b.chain_id = $1
