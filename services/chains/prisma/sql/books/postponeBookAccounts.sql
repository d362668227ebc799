-- Makes leased accounts that could not be checked due after a pause.
-- @param $1:accounts
-- @param $2:pauseMs
update book_accounts b set leased_until = clock_timestamp() + $2::int * interval '1 millisecond'
from json_to_recordset($1) as a (id bigint, lease bigint)
where b.id = a.id and b.lease = a.lease
