-- Returns deliveries of a worker to the table, where another worker claims them.
-- @unprepared
-- @param $1:ids
-- @param $2:days
-- @param $3:owner
update deliveries set owner = null where id = any($1) and day = any($2) and owner = $3
