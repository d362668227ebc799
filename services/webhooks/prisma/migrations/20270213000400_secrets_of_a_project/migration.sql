create unique index concurrently secrets_of_a_project on secrets (project_id, endpoint_id, seq);
