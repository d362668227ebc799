-- A statement reads what was recorded for a tenant on one day, in its order.
create index concurrently if not exists allocations_project_id_mode_created_at_transfer_id_idx
  on allocations (project_id, mode, created_at, transfer_id);
