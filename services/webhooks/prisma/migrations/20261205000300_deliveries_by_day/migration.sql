-- The key of a partition of deliveries.
create unique index concurrently if not exists deliveries_by_day on deliveries (id, day)
