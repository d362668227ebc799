-- Deletes the rolled-up counts of days that have become zero.
-- @param {Json} $1:days
delete from payment_counts counted
using json_to_recordset($1) as due (project_id text, mode smallint, day timestamptz)
where counted.project_id = due.project_id and counted.mode = due.mode and counted.grain in ('day', 'hour')
  and counted.since >= due.day and counted.since < due.day + interval '1 day'
  and counted.shard = 0 and counted.payments = 0
