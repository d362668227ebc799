-- Deletes a dead letter.
-- @param $1:id
delete from dead_letters where id = $1
