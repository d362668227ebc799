create unique index concurrently settlements_of_a_project on settlements (project_id, id);
