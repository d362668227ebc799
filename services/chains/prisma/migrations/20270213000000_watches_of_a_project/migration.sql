-- Keys begin with the project, so that the id of one project names nothing of another. Each index is built beside the running
-- service; the keys follow when the version before is gone.
create unique index concurrently watches_of_a_project on watches (project_id, payment_id);
