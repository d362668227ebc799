-- Deletes candidates without a proof from a page of those that ended before a time. A candidate stays while it
-- explains money: a transfer that pays nothing of the tenant, an allocation, or a transaction that the service has
-- signed.
-- @param $1:afterEndedAt
-- @param $2:afterId
-- @param $3:endedBefore
-- @param $4:max
with page as materialized (
  select project_id, id, coalesce(judged_at, give_up_at) as ended_at from candidates
  where state in ('rejected', 'abandoned')
    and (coalesce(judged_at, give_up_at), id) > ($1, $2) and coalesce(judged_at, give_up_at) < $3
  order by coalesce(judged_at, give_up_at), id limit $4
), purged as (
  delete from candidates c using page
  where c.project_id = page.project_id and c.id = page.id and c.state in ('rejected', 'abandoned')
    and coalesce(c.judged_at, c.give_up_at) = page.ended_at
    and not exists (select from allocations a where a.candidate_id = c.id)
    and not exists (select from signed_transactions s where s.chain_id = c.chain_id and s.tx_hash = c.tx_hash)
    and not exists (
      select from transfers t
      where t.chain_id = c.chain_id and t.tx_hash = c.tx_hash and t.recipient = c.recipient
        and t.currency = c.currency and t.status <> 'orphaned' and not exists (
          select from allocations a
          where a.transfer_id = t.id and a.project_id = c.project_id and a.mode = c.mode))
  returning c.id
)
select (select count(*)::int from purged) as "purged!", (select count(*)::int from page) as "page_size!",
  last.ended_at as "ended_at?", last.id as "id?"
from (select) as always
  left join (select ended_at, id from page order by ended_at desc, id desc limit 1) last on true
