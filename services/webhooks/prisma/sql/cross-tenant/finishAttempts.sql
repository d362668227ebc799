-- Writes the results of attempts and returns the ids that were not written, because another worker owns them. Only
-- pending deliveries have an owner, so the state needs no condition: with one, the planner may scan an index of pending
-- rows for each result. Unwritten results are rare, so returning them costs less than returning the written ones.
-- @unprepared
-- @param {Json} $1:results
-- @param $2:days Each day of the results once: the planner prunes partitions by them.
with result as (
  select * from json_to_recordset($1) as result (
    id uuid, owner int, attempts smallint, state text, wait_ms int, is_logged boolean, day timestamptz,
    started_at timestamptz /* null */, duration_ms int /* null */, status_code smallint /* null */,
    error text /* null */, remote_address text /* null */, retry_after text /* null */, response bytea /* null */,
    response_complete boolean /* null */, url text /* null */)
), finished as (
  update deliveries set
    state = result.state,
    attempts = result.attempts + result.is_logged::int,
    next_attempt_at = now() + result.wait_ms * interval '1 millisecond',
    owner = case when result.state = 'pending' then result.owner end,
    finished_at = case when result.state = 'pending' then null else now() end
  from result
  where deliveries.day = any($2) and deliveries.id = result.id and deliveries.day = result.day
    and deliveries.owner = result.owner and deliveries.attempts = result.attempts
  returning deliveries.id
), logged as (
  insert into attempts (delivery_id, number, started_at, duration_ms, status_code, error, remote_address, retry_after,
    response, response_complete, url, day)
  select id, attempts + 1, started_at, duration_ms, status_code, error, remote_address, retry_after, response,
    response_complete, url, day
  from result join finished using (id) where is_logged
  on conflict do nothing
)
select id as "id!" from result where not exists (select from finished where finished.id = result.id)
