-- Finds a dead letter.
-- @param $1:id
select dead_letter.* from dead_letters dead_letter where dead_letter.id = $1
