-- The key of a change begins with its project and its endpoint, in the order in which they are listed; an index of its own for
-- the list is not needed any more. Built beside the running service.
create unique index concurrently endpoint_changes_of_a_project on endpoint_changes (project_id, endpoint_id, id);
