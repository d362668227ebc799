create unique index concurrently candidates_of_a_project on candidates (project_id, id);
