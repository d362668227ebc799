-- Lists the newest dead letters.
-- @param $1:limit
select dead_letter.* from dead_letters dead_letter order by dead_letter.id desc limit $1
