-- The order of a project's events in a partition.
create unique index concurrently if not exists events_project_id_mode_position_day_key
  on events (project_id, mode, position, day)
