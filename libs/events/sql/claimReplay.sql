-- Locks the oldest dead letter of a consumer whose replay was requested.
-- @param $1:consumer
select dead_letter.* from dead_letters dead_letter
where dead_letter.consumer = $1 and dead_letter.replay_at is not null
order by dead_letter.replay_at, dead_letter.id
limit 1
for update skip locked
