-- The key of a partition of events.
create unique index concurrently if not exists events_by_day on events (id, day)
