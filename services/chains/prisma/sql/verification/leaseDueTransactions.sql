-- Leases transactions that are due, each with the wallets that wait for its transfers.
-- @param $1:chainId
-- @param $2:now
-- @param $3:leasedUntil
-- @param $4:max
with due as (
  select t.tx_hash from transactions t
  where t.chain_id = $1 and t.state = 'waiting' and t.next_at <= $2
  order by t.next_at limit $4 for update skip locked
), leased as (
  update transactions t set next_at = $3 from due where t.chain_id = $1 and t.tx_hash = due.tx_hash
  returning t.*
)
select l.*, array(
    select distinct s.recipient || ' ' || s.currency from submissions s
    where s.chain_id = l.chain_id and s.tx_hash in (
      select l.tx_hash union all select r.tx_hash from transactions r
      where r.chain_id = l.chain_id and r.replaced_by = l.tx_hash)
    union
    select distinct d.address || ' ' || s.currency from submissions s
      join deposit_addresses d on d.payment_id = s.subject_id and d.project_id = s.project_id
    where s.chain_id = l.chain_id and s.tx_hash in (
      select l.tx_hash union all select r.tx_hash from transactions r
      where r.chain_id = l.chain_id and r.replaced_by = l.tx_hash)
    union
    select distinct x.recipient || ' ' || x.currency from transfers x
    where x.chain_id = l.chain_id and x.tx_hash = l.tx_hash
    union
    select distinct i.destination || ' ' || i.currency from signed_transactions g
      join intents i using (project_id, mode, subject_id)
    where g.chain_id = l.chain_id and g.tx_hash = l.tx_hash
  ) as "targets!", (
    select max(s.base_amount) from submissions s where s.chain_id = l.chain_id and s.tx_hash = l.tx_hash
  ) as "outgoing_amount?"
from leased l
