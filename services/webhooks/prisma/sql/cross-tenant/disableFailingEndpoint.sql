-- Disables an endpoint that had at least 20 failures and no success in three days. The newest success is read first: most
-- endpoints have one. The first failure must be three days old, so that an hour of failures after a quiet week does not count.
-- @unprepared
-- @param $1:id
update endpoints set enabled = false, disabled_reason = 'failing', updated_at = now()
where id = $1 and enabled and url is not null
  and failures_counted_from <= now() - interval '3 days'
  and case when (
    select true from deliveries where endpoint_id = endpoints.id and state = 'delivered'
      and created_at > now() - interval '3 days 12 hours'
    order by created_at desc, id desc limit 1
  ) then false
  else exists (
    select from deliveries where endpoint_id = endpoints.id and state = 'failed'
      and created_at between now() - interval '3 days 12 hours' and now() - interval '3 days'
  ) and (
    select count(*) from (
      select from deliveries where endpoint_id = endpoints.id and state = 'failed'
        and created_at > now() - interval '3 days' limit 20
    ) failed
  ) = 20 end
returning project_id
