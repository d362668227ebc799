-- Removes the notes that an owner had at a time.
-- @param $1:ownerId
-- @param $2:createdUntil
delete from notes where owner_id = $1 and created_at <= $2
