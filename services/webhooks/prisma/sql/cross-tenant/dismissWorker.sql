-- Removes a worker that stops in order, and releases its deliveries.
-- @unprepared
-- @param $1:worker
with released as (update deliveries set owner = null where owner = $1 and state = 'pending')
delete from workers where id = $1
