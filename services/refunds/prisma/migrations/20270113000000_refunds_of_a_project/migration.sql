-- Keys begin with the project, so that rows of a project lie together and no id alone finds one. Each index is built beside the
-- running service; the keys follow in migrations that need no time.
create unique index concurrently refunds_of_a_project on refunds (project_id, id);
