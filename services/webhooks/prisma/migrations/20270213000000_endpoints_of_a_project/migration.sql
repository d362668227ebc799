-- A secret belongs to an endpoint of its own project. Indexes are built beside the running service; the keys follow when the
-- version before is gone.
create unique index concurrently endpoints_project_id_id_key on endpoints (project_id, id);
