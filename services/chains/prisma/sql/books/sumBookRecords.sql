-- Adds the records of the window to the sums of their wallets' months, and takes from these what was replaced since. A record
-- counts in its own month; a transfer that is mined in another one is carried between the two. Records that are too old
-- to be compared count as shown. What was replaced before its window came is in no sum.
-- @param $1:chainId
-- @param $2:since
-- @param $3:until
with replaced as (
  delete from book_corrections c using transfers t where t.id = c.transfer_id and t.chain_id = $1
  returning c.transfer_id, c.project_id, c.mode, c.subject_id, c.recorded_at
), recorded as (
  select a.transfer_id, a.project_id, a.mode, a.subject_id, a.created_at as recorded_at, 1 as times
  from allocations a join transfers t on t.id = a.transfer_id
  where a.created_at > $2 and a.created_at <= $3 and t.chain_id = $1
  union all
  select transfer_id, project_id, mode, subject_id, recorded_at, -1 from replaced where recorded_at <= $2
), placed as (
  select r.project_id, r.mode, b.id as account_id, s.kind, r.times * t.value as value,
    case when s.kind = 'payment' then 1 else -1 end as sign, r.times,
    to_char(r.recorded_at at time zone 'UTC', 'YYYY-MM') as month,
    case when t.block_number > b.opened_block then to_char(t.block_time at time zone 'UTC', 'YYYY-MM') end as mined_month,
    case when t.block_number <= b.opened_block or t.block_time <= now() - interval '30 days' then t.value
      else coalesce(m.value, case when t.kind = 'trace' and exists (
        select from book_movements u where u.account_id = b.id and u.kind = 'unseen' and u.is_in = (s.kind = 'payment')
          and u.block_number >= t.block_number and u.value >= t.value) then t.value end, 0) end * r.times as shown
  from recorded r join transfers t on t.id = r.transfer_id
    cross join lateral (select case when r.subject_id like 'pay\_%' then 'payment'
      when r.subject_id like 'refund\_%' then 'refund' else 'settlement' end as kind) s
    join book_accounts b on b.chain_id = t.chain_id and b.currency = t.currency
      and b.wallet = case s.kind when 'payment' then t.recipient else t.sender end
    left join book_movements m on m.account_id = b.id and m.tx_hash = t.tx_hash and m.kind = t.kind
      and m.ordinal = t.ordinal and m.is_in = (s.kind = 'payment')
), summed as (
  select project_id, mode, account_id, month, coalesce(sum(value) filter (where kind = 'payment'), 0) as payments,
    coalesce(sum(value) filter (where kind = 'refund'), 0) as refunds,
    coalesce(sum(value) filter (where kind = 'settlement'), 0) as settlements,
    sum(sign * (value - shown)) as unproven, 0 as matched, 0 as matches,
    coalesce(sum(-sign * shown) filter (where mined_month is distinct from month), 0) as carried
  from placed group by 1, 2, 3, 4
  union all
  select project_id, mode, account_id, mined_month, 0, 0, 0, 0, sum(sign * shown),
    sum(times) filter (where shown <> 0),
    coalesce(sum(sign * shown) filter (where mined_month <> month), 0)
  from placed where mined_month is not null group by 1, 2, 3, 4
)
insert into book_records (project_id, mode, account_id, month, payments, refunds, settlements, unproven, matched, matches, carried)
select project_id, mode, account_id, month, sum(payments), sum(refunds), sum(settlements), sum(unproven), sum(matched),
  coalesce(sum(matches), 0), sum(carried)
from summed group by 1, 2, 3, 4 order by 1, 2, 3, 4
on conflict (project_id, mode, account_id, month) do update set payments = book_records.payments + excluded.payments,
  refunds = book_records.refunds + excluded.refunds, settlements = book_records.settlements + excluded.settlements,
  unproven = book_records.unproven + excluded.unproven, matched = book_records.matched + excluded.matched,
  matches = book_records.matches + excluded.matches, carried = book_records.carried + excluded.carried
