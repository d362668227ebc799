-- Lists endpoints with deliveries that no worker owns: one step in the index for each endpoint, however long its backlog.
-- @unprepared
-- @param $1:after
-- @param $2:limit
-- @param $3:since First day to look at.
with recursive backlog as (
  (select endpoint_id from deliveries where state = 'pending' and owner is null and day >= $3 and endpoint_id > $1
    order by endpoint_id limit 1)
  union all
  select (select endpoint_id from deliveries
    where state = 'pending' and owner is null and day >= $3 and endpoint_id > backlog.endpoint_id
    order by endpoint_id limit 1)
  from backlog where backlog.endpoint_id is not null
)
select endpoint_id as "endpoint_id!" from backlog where endpoint_id is not null limit $2
