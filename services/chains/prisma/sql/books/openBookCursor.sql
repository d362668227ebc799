-- Begins the comparison of a chain's records with its books.
-- @param $1:chainId
insert into book_cursors (chain_id, compared_until) values ($1, now()) on conflict do nothing
