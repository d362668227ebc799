-- Queues wallets whose facts have changed. Rows are written in the order of their keys, so that two writers cannot deadlock.
-- @param {Json} $1:wallets
-- @param $2:now
with input as (
  select * from json_to_recordset($1) as input (
    project_id text, mode smallint, chain_id bigint, recipient text, currency text)
)
insert into attribution_queue as q (project_id, mode, chain_id, recipient, currency, next_at)
select distinct project_id, mode, chain_id, recipient, currency, $2::timestamptz from input
order by project_id, mode, chain_id, recipient, currency
on conflict (project_id, mode, chain_id, recipient, currency) do update set
  marks = q.marks + 1, next_at = least(q.next_at, excluded.next_at)
