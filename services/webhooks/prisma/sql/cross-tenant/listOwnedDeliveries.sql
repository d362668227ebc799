-- Lists deliveries that a worker owns. Rows younger than ten seconds may still be on their way into its memory.
-- @unprepared
-- @param $1:owner
select id from deliveries where owner = $1 and state = 'pending' and created_at < now() - interval '10 seconds'
