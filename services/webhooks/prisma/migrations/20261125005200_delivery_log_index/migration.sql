-- The log of an endpoint, newest first.
create index concurrently if not exists deliveries_endpoint_id_created_at_id_idx
  on deliveries (endpoint_id, created_at desc, id desc)
