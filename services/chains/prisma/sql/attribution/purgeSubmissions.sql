-- Deletes hashes that did not count and were judged before a time. Their transactions are kept no longer for them.
-- @param $1:judgedBefore
-- @param $2:max
with purged as (
  delete from submissions where ctid = any(array(
    select s.ctid from submissions s where s.outcome <> 'counted' and s.judged_at < $1 order by s.judged_at limit $2))
  returning chain_id, tx_hash
), released as (
  update transactions t set is_submitted = false from purged p
  where t.chain_id = p.chain_id and t.tx_hash = p.tx_hash and not exists (
    select from submissions s
    where s.chain_id = t.chain_id and s.tx_hash = t.tx_hash
      and (s.outcome is null or s.outcome = 'counted' or s.judged_at >= $1))
)
select count(*)::int as "purged!" from purged
