-- Reports the wallets of a project within a time: what their books show, and what is recorded. The records decide what a
-- transfer pays, the chain that it happened. A transfer is recorded after it was mined, and abandoned after a week.
-- @param $1:projectId
-- @param $2:from
-- @param $3:to
-- @param $4:max
with wallets as (
  select distinct mode, chain_id, coalesce(nullif(sender, ''), recipient) as wallet
  from known_recipients where project_id = $1
), recorded as materialized (
  select a.mode, t.chain_id, t.currency, t.sender, t.recipient, a.subject_id, t.value
  from allocations a join transfers t on t.id = a.transfer_id
  where a.project_id = $1 and a.mode in (1, 2) and a.created_at >= $2::timestamptz - interval '1 hour'
    and a.created_at < $3::timestamptz + interval '8 days'
    and t.block_time >= $2 and t.block_time < $3 and t.status <> 'orphaned'
)
select w.mode as "mode!", b.chain_id as "chain_id!", b.wallet as "wallet!", b.currency as "currency!",
  coalesce(k.symbol, c.symbol) as "symbol!", coalesce(k.decimals, c.native_decimals)::int as "decimals!",
  b.checked_block as "checked_block!", b.balance, b.balance_block,
  shown.received as "received!", shown.refunded as "refunded!", shown.settled as "settled!", shown.gas as "gas!",
  shown.foreign_in as "foreign_in!", shown.foreign_out as "foreign_out!",
  held.received as "recorded_received!", held.refunded as "recorded_refunded!", held.settled as "recorded_settled!"
from wallets w join book_accounts b using (chain_id, wallet) join chains c using (chain_id)
  left join tokens k on k.chain_id = b.chain_id and k.address = b.currency
  cross join lateral (
    select coalesce(sum(m.value) filter (where m.is_in and a.subject_id like 'pay\_%'), 0) as received,
      coalesce(sum(m.value) filter (where not m.is_in and a.subject_id like 'refund\_%'), 0) as refunded,
      coalesce(sum(m.value) filter (where not m.is_in and a.subject_id like 'stl\_%'), 0) as settled,
      coalesce(sum(m.value) filter (where m.kind = 'gas'), 0) as gas,
      coalesce(sum(m.value) filter (where m.is_in and a.subject_id not like 'pay\_%' is not false), 0) as foreign_in,
      coalesce(sum(m.value) filter (where not m.is_in and m.kind <> 'gas'
        and a.subject_id like 'pay\_%' is not false), 0) as foreign_out
    from book_movements m
      left join transfers t on t.chain_id = b.chain_id and t.tx_hash = m.tx_hash and t.kind = m.kind
        and t.ordinal = m.ordinal and t.status <> 'orphaned'
      left join allocations a on a.transfer_id = t.id and a.project_id = $1 and a.mode = w.mode
    where m.account_id = b.id and m.block_time >= $2 and m.block_time < $3
  ) shown
  cross join lateral (
    select
      coalesce(sum(r.value) filter (where r.recipient = b.wallet and r.subject_id like 'pay\_%'), 0) as received,
      coalesce(sum(r.value) filter (where r.sender = b.wallet and r.subject_id like 'refund\_%'), 0) as refunded,
      coalesce(sum(r.value) filter (where r.sender = b.wallet and r.subject_id like 'stl\_%'), 0) as settled
    from recorded r where r.mode = w.mode and r.chain_id = b.chain_id and r.currency = b.currency
  ) held
order by w.mode, b.chain_id, b.wallet, b.currency limit $4
