-- Returns for how many seconds the oldest due delivery has waited; 0 where none is due. Also those that a worker has in
-- memory count, because that worker may be gone. Of a backlog it reads the first delivery of each endpoint.
-- @unprepared
with recursive backlog as (
  (select endpoint_id, next_attempt_at from deliveries where state = 'pending' and owner is null
    order by endpoint_id, next_attempt_at limit 1)
  union all
  select following.endpoint_id, following.next_attempt_at from backlog cross join lateral (
    select endpoint_id, next_attempt_at from deliveries
    where state = 'pending' and owner is null and endpoint_id > backlog.endpoint_id
    order by endpoint_id, next_attempt_at limit 1
  ) following
), owned as (
  select min(next_attempt_at) as next_attempt_at from deliveries where state = 'pending' and owner is not null
)
select coalesce(greatest(0, extract(epoch from now() - least(
  (select min(next_attempt_at) from backlog), (select next_attempt_at from owned)
))), 0)::float8 as "seconds!"
