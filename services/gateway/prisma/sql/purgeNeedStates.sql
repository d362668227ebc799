-- Deletes a batch of 1000 states that nobody has changed for long. Notes about the books stay.
-- @param $1:before
delete from need_states where ctid = any (array(
  select ctid from need_states where changed_at < $1 and not starts_with(need_id, 'book_')
  order by changed_at limit 1000 for update skip locked))
