alter table secrets
  add constraint secrets_project_id_endpoint_id_fkey foreign key (project_id, endpoint_id)
    references endpoints (project_id, id) on delete cascade on update cascade not valid;
