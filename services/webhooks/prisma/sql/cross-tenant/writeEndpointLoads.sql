-- Writes the loads of endpoints at a worker; those without numbers are removed.
-- @param {Json} $1:loads
-- @param $2:worker
with load as (
  select * from json_to_recordset($1) as load (
    endpoint_id text, concurrency smallint /* null */, backlog int /* null */)
), removed as (
  delete from endpoint_loads using load
  where worker = $2 and endpoint_loads.endpoint_id = load.endpoint_id and load.concurrency is null
)
insert into endpoint_loads (endpoint_id, worker, concurrency, backlog)
select endpoint_id, $2, concurrency, backlog from load where concurrency is not null
on conflict (endpoint_id, worker) do update set concurrency = excluded.concurrency, backlog = excluded.backlog
