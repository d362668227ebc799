-- Deletes movements of accounts that are too old for a report.
-- @param $1:accountIds
-- @param $2:before
-- @param $3:max
delete from book_movements where ctid = any(array(
  select ctid from book_movements where account_id = any($1::bigint[]) and block_time < $2 limit $3))
