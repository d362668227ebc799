-- A subject is proven once, in its own project and mode.
create unique index concurrently candidates_proven on candidates (project_id, mode, subject_id) where state = 'confirmed';
