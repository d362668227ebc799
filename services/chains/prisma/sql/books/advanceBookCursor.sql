-- Moves the comparison to the end of its window.
-- @param $1:chainId
-- @param $2:until
update book_cursors set compared_until = $2 where chain_id = $1
