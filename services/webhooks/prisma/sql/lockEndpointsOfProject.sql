-- Makes creations of a project wait for each other, because two could both count the last free place.
-- @param $1:projectId
select pg_advisory_xact_lock(hashtextextended('endpoints of ' || $1, 0))::text as "lock!"
