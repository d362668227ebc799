-- The key of a partition of attempts.
create unique index concurrently if not exists attempts_by_day on attempts (delivery_id, number, day)
