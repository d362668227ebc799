-- The key of a customer begins with its project, so that rows of a project lie together and no id alone finds one. Built
-- beside the running service.
create unique index concurrently customers_of_a_project on customers (project_id, id);
