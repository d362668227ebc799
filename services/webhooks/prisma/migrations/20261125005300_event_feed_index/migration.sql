-- The events of a project and mode in their order.
create unique index concurrently if not exists events_project_id_mode_position_key
  on events (project_id, mode, position)
