-- At most one delivery per event, endpoint and generation in a partition; all of an event's are in one.
create unique index concurrently if not exists deliveries_event_id_endpoint_id_generation_day_key
  on deliveries (event_id, endpoint_id, generation, day)
