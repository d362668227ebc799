-- Deletes verified transactions that are older than a time and that no submission names.
-- @param $1:createdBefore
-- @param $2:max
delete from transactions where ctid = any(array(
  select t.ctid from transactions t
  where not t.is_submitted and t.created_at < $1 and t.state <> 'waiting'
  order by t.created_at limit $2))
