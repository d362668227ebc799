create unique index concurrently intents_of_a_project on intents (project_id, mode, subject_id);
