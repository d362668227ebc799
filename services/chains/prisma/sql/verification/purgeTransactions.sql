-- Deletes verified transactions that are older than a time and that no submission names.
-- @param $1:createdBefore
-- @param $2:max
delete from transactions where ctid = any(array(
  select t.ctid from transactions t
  where t.created_at < $1 and t.state <> 'waiting' and not exists (
    select from submissions s where s.chain_id = t.chain_id and s.tx_hash = t.tx_hash)
  order by t.created_at limit $2))
