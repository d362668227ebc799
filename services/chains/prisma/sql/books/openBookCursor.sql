-- Begins the comparison of a chain's records with its books, a day before: those of a new chain are all in it.
-- @param $1:chainId
insert into book_cursors (chain_id, compared_until) values ($1, now() - interval '1 day') on conflict do nothing
