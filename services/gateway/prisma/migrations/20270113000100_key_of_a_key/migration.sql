alter table api_keys
  drop constraint api_keys_pkey,
  add constraint api_keys_pkey primary key using index api_keys_of_a_project;
