-- Marks open payments of exactly what their recipient got from a contract that no provider traces, or whose deposit
-- address got anything so, and queues their wallets first.
-- @param $1:chainId
-- @param {Json} $2:gains
-- @param $3:now
with gains as (
  select * from json_to_recordset($2) as gains (recipient text, value numeric, block_time timestamptz)
), found as (
  select distinct w.project_id, w.payment_id, w.mode, w.recipient, w.currency
  from gains g join watches w on w.chain_id = $1 and w.is_followed and w.currency = 'native'
    and coalesce(w.pay_to, w.recipient) = g.recipient and w.ends_at >= g.block_time
    and w.opened_at <= g.block_time + interval '4 seconds' and (w.pay_to is not null or w.base_amount = g.value)
    and w.paid_block is null and not w.is_untraced
), queued as (
  insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
  select distinct project_id, mode, $1, recipient, currency, $3::timestamptz from found
  order by 1, 2, 3, 4, 5
  on conflict (project_id, mode, chain_id, recipient, currency) do update set
    marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
  returning q.project_id
)
update watches w set is_untraced = true from found f
where w.project_id = f.project_id and w.payment_id = f.payment_id and (select count(*) from queued) > 0
returning w.payment_id
