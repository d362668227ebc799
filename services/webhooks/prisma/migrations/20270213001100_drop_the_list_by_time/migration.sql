-- Deliveries are listed by their endpoint. What asked for a project's newest events has no caller.
drop index events_project_id_received_at_idx;
