create unique index concurrently settlement_destinations_of_a_project on settlement_destinations (project_id, id);
