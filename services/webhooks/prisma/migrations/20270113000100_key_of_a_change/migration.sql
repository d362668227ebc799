alter table endpoint_changes
  drop constraint endpoint_changes_pkey,
  add constraint endpoint_changes_pkey primary key using index endpoint_changes_of_a_project;
