-- Ends the search for transactions on chains without a provider, and queues the wallets that wait for them. Those of
-- money that goes out are kept: it stays reserved until the chain has spoken.
-- @param $1:giveUpBefore
-- @param $2:chainIds
-- @param $3:now
with expired as (
  update transactions t set state = 'missing', looked_at = $3::timestamptz
  where t.state = 'waiting' and t.give_up_at < $1 and t.chain_id <> all($2) and not exists (
      select from submissions s
      where s.chain_id = t.chain_id and s.tx_hash = t.tx_hash and s.base_amount is not null)
  returning t.chain_id, t.tx_hash
), queued as (
  insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
  select distinct s.project_id, s.mode, s.chain_id, s.recipient, s.currency, $3::timestamptz
  from expired e join submissions s on s.chain_id = e.chain_id and s.tx_hash = e.tx_hash
  order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, chain_id, recipient, currency) do update set
    marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
)
select count(*)::integer as "expired!" from expired
